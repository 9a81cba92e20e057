import { Badge, Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconReceiptOff } from '@tabler/icons-react';
import { useParams } from 'react-router';
import type { ContentsResponse } from '../../../../wire/contents.ts';
import type { ReceiptResponse } from '../../../../wire/receipts.ts';
import { ApiError, postJson } from '../../api/client.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { BackLink } from '../../components/back-link.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Hint } from '../../components/hint.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PageLoading } from '../../components/page-loading.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useMay } from '../../session/use-may.ts';
import { useAccountSettings } from '../account/use-account-settings.ts';
import { BillPanel } from './bill-panel.tsx';
import { ContentsPanel } from './contents-panel.tsx';
import { describeAttempt, describeOutcome, describeResponse } from './describe-receipt.ts';
import { FactsPanel } from './facts-panel.tsx';
import { PaymentPanel } from './payment-panel.tsx';
import { TimelinePanel } from './timeline-panel.tsx';
import { useReceipt } from './use-receipt.ts';

/** Shows what one request used, what that cost, and who paid. */
export function ReceiptPage() {
  const { requestId } = useParams();
  const receipt = useReceipt(requestId);
  return (
    <>
      <BackLink to="/dashboard/usage">Usage</BackLink>
      <PageHeader
        title="Receipt"
        description={
          <>
            Request <Code className="break-anywhere">{requestId}</Code>
          </>
        }
        actions={requestId !== undefined && <CopyButton value={requestId} label="Copy request id" />}
      />
      <Body receipt={receipt} />
    </>
  );
}

function Body({ receipt }: { receipt: ReturnType<typeof useReceipt> }) {
  const error = useLastError(receipt);
  if (receipt.data !== undefined) return <Receipt receipt={receipt.data} />;
  const isUnknown = error instanceof ApiError && error.status === 404;
  if (error === null || (isUnknown && receipt.isPending)) {
    return (
      <Stack gap="sm">
        <PageLoading label="Reading the receipt" />
        {receipt.failureCount > 0 && (
          <Hint role="status">
            There is no receipt yet. A request is settled within a second of its end. Checking again…
          </Hint>
        )}
      </Stack>
    );
  }
  if (isUnknown) {
    return (
      <EmptyState
        icon={<IconReceiptOff size={28} />}
        title="There is no such receipt"
        action={
          <Button variant="default" onClick={() => void receipt.refetch()}>
            Check again
          </Button>
        }
      >
        Only requests that reached a provider with one of your keys have receipts. Check that the id is
        complete: it is the <Code>x-request-id</Code> header of the response. A stream has its receipt when it
        ends.
      </EmptyState>
    );
  }
  return <ErrorNotice error={error} onRetry={() => void receipt.refetch()} />;
}

function Receipt({ receipt }: { receipt: ReceiptResponse }) {
  const { name, color, meaning } = describeOutcome(receipt);
  const isAdmin = useMay('admin');
  return (
    <Stack gap="md">
      <Group gap="sm">
        <Badge color={color} size="lg">
          {name}
        </Badge>
        {receipt.keyKind === 'demo' && (
          <Badge color="yellow" size="lg">
            Made-up demo data
          </Badge>
        )}
        <Text>{meaning}</Text>
      </Group>
      <BillPanel receipt={receipt} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <PaymentPanel receipt={receipt} />
        <FactsPanel receipt={receipt} />
      </SimpleGrid>
      <TimelinePanel receipt={timed(receipt)} />
      {isAdmin && <HolderContents requestId={receipt.requestId} />}
    </Stack>
  );
}

function HolderContents({ requestId }: { requestId: string }) {
  const settings = useAccountSettings().data;
  if (settings === undefined) return null;
  const read = () => postJson<ContentsResponse>(`/api/requests/${encodeURIComponent(requestId)}/contents`);
  const off = (
    <>
      Off. An owner can turn them on for later requests: <TextLink to="/dashboard/account">Account</TextLink>
    </>
  );
  return <ContentsPanel read={read} {...(settings.contents === null && { off })} />;
}

function timed(receipt: ReceiptResponse) {
  const attempts = receipt.attempts.map((attempt) => ({ ...attempt, outcome: describeAttempt(attempt) }));
  return { ...receipt, attempts, response: describeResponse(receipt) };
}
