import { Badge, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconReceiptOff } from '@tabler/icons-react';
import { useParams } from 'react-router';
import type { Receipt, RequestContents } from '../../../../wire/management.ts';
import { ApiError } from '../../api/client.ts';
import { readManagement } from '../../api/management.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { useManagement } from '../../api/use-management.ts';
import { BackLink } from '../../components/back-link.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PageLoading } from '../../components/page-loading.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { BillPanel } from '../../pages/receipt/bill-panel.tsx';
import { ContentsPanel } from '../../pages/receipt/contents-panel.tsx';
import { describeOutcome } from '../../pages/receipt/describe-receipt.ts';
import { PaymentPanel } from '../../pages/receipt/payment-panel.tsx';
import { TimelinePanel } from '../../pages/receipt/timeline-panel.tsx';
import { useSession } from '../../session/use-session.ts';
import { convertReceipt, timedForOperators } from './convert-receipt.ts';
import { RequestFacts } from './request-facts.tsx';

/** A request that still runs has its receipt within seconds of its end. */
const REFETCH_MS = 3_000;

/** Shows one request of any account: what happened, what it cost, and who paid. */
export function RequestPage() {
  const { requestId = '' } = useParams();
  const reads = { refetchMs: REFETCH_MS, untilFound: true };
  const receipt = useManagement('getReceipt', { path: { id: requestId } }, reads);
  const error = useLastError(receipt);
  const isUnknown = error instanceof ApiError && error.status === 404;
  const found = receipt.data?.body;
  return (
    <>
      <BackLink to="/operate/requests">Requests</BackLink>
      <PageHeader
        title="Request"
        description={<Code className="break-anywhere">{requestId}</Code>}
        actions={<CopyButton value={requestId} label="Copy request id" />}
      />
      {found === undefined && error === null && <PageLoading label="Reading the receipt" />}
      {found === undefined && isUnknown && (
        <EmptyState icon={<IconReceiptOff size={28} />} title="There is no such receipt">
          Only requests that reached a provider have receipts. This page shows it within seconds after the
          request ends. Refused requests are in the list of{' '}
          <TextLink to="/operate/requests?show=refused">refused requests</TextLink>.
        </EmptyState>
      )}
      {!isUnknown && <ErrorNotice error={error} onRetry={() => void receipt.refetch()} />}
      {found !== undefined && <Found receipt={found} />}
    </>
  );
}

function Found({ receipt }: { receipt: Receipt }) {
  const converted = convertReceipt(receipt);
  const { name, color, meaning } = describeOutcome(converted);
  return (
    <Stack gap="md">
      <Group gap="sm">
        <Badge color={color} size="lg">
          {name}
        </Badge>
        <Text>{meaning}</Text>
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <TimelinePanel receipt={timedForOperators(receipt)} />
        <RequestFacts receipt={receipt} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <BillPanel receipt={converted} />
        <PaymentPanel receipt={converted} />
      </SimpleGrid>
      <Contents receipt={receipt} />
    </Stack>
  );
}

function Contents({ receipt: { has_contents: hasContents, id } }: { receipt: Receipt }) {
  const role = useSession().data?.user?.installationRole;
  const off = hasContents
    ? role !== 'operator' && 'Only operators may look at the contents of a request.'
    : 'No contents are stored. An owner of the account can turn them on for later requests.';
  async function read() {
    const { body } = await readManagement('viewContents', { path: { id } });
    const { expires_at, path, request, response, status } = body;
    const expiresAtMs = Date.parse(expires_at);
    return { path, status, expiresAtMs, request: bodyOf(request), response: bodyOf(response) };
  }
  return <ContentsPanel read={read} {...(off !== false && { off })} />;
}

function bodyOf({ bytes, content_type, cut, text }: RequestContents['request']) {
  return { contentType: content_type, bytes, text, cut };
}
