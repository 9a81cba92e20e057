import { Alert, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconWebhookOff } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import type { NewWebhook, Webhook } from '../../../../wire/webhooks.ts';
import { useAction } from '../../api/use-action.ts';
import { BackLink } from '../../components/back-link.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Fact } from '../../components/fact.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { useMay } from '../../session/use-may.ts';
import { useMayChange } from '../../session/use-may-change.ts';
import { DeliveriesPanel } from './deliveries-panel.tsx';
import { useWebhook, useWebhooksRefetch } from './use-webhooks.ts';
import { WebhookDialog } from './webhook-dialog.tsx';
import {
  accountWebhooks,
  managedWebhooks,
  useWebhookSource,
  WebhookSourceProvider,
} from './webhook-source.ts';
import { WebhookStatus } from './webhooks-panel.tsx';

/** Shows a webhook of the account, and what was delivered. */
export function WebhookPage() {
  const mayChange = useMay('admin');
  return (
    <WebhookSourceProvider value={accountWebhooks}>
      <OneWebhook mayChange={mayChange} />
    </WebhookSourceProvider>
  );
}

/** Shows any webhook, in the console. */
export function InstallationWebhookPage() {
  const mayChange = useMayChange();
  return (
    <WebhookSourceProvider value={managedWebhooks()}>
      <OneWebhook mayChange={mayChange} />
    </WebhookSourceProvider>
  );
}

function OneWebhook({ mayChange }: { mayChange: boolean }) {
  const { webhookId = '' } = useParams();
  const { path } = useWebhookSource();
  const webhook = useWebhook(webhookId);
  return (
    <>
      <BackLink to={path}>All webhooks</BackLink>
      <QueryState query={webhook} loading="Reading the webhook" />
      {webhook.data != null && <Details key={webhookId} webhook={webhook.data} mayChange={mayChange} />}
      {webhook.data === null && (
        <>
          <PageHeader title="Webhook" />
          <EmptyState icon={<IconWebhookOff size={28} />} title="There is no such webhook">
            The address may be wrong, or it was removed.
          </EmptyState>
        </>
      )}
    </>
  );
}

function Details({ webhook, mayChange }: { webhook: Webhook; mayChange: boolean }) {
  const { created_at: createdAt, description, events, format, id, status, url } = webhook;
  return (
    <Stack gap="lg">
      <PageHeader title="Webhook" description={<span className="break-anywhere">{url}</span>} />
      <StatusNotice webhook={webhook} />
      <Panel title="Settings">
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <Fact label="Status">
            <WebhookStatus status={status} />
          </Fact>
          <Fact label="Format">{format === 'slack' ? 'Slack' : 'Standard Webhooks'}</Fact>
          <Fact label="Added">
            <Moment ms={Date.parse(createdAt)} />
          </Fact>
          <Fact label="Events">{events.join(', ')}</Fact>
          <Fact label="Id">
            <Identifier id={id} />
          </Fact>
          {description !== '' && <Fact label="Description">{description}</Fact>}
        </SimpleGrid>
        {mayChange && <Actions webhook={webhook} />}
      </Panel>
      <DeliveriesPanel webhook={webhook} mayChange={mayChange} />
    </Stack>
  );
}

function StatusNotice({ webhook }: { webhook: Webhook }) {
  const { disabled_because: because, failing_since: since, status } = webhook;
  if (status === 'failing' && since !== null)
    return (
      <Alert color="red" title="This webhook is failing">
        No delivery has succeeded since <Moment ms={Date.parse(since)} />. Read the errors below, fix the
        receiver, then deliver the events again.
      </Alert>
    );
  if (status !== 'disabled') return null;
  return (
    <Alert color="gray" title="This webhook is disabled">
      {because === 'gone' ? 'Its receiver answered 410 (gone). ' : ''}
      Events are stored for 30 days, but not sent. Enable it, then deliver them again.
    </Alert>
  );
}

function Actions({ webhook }: { webhook: Webhook }) {
  const source = useWebhookSource();
  const navigate = useNavigate();
  const [isChanging, setChanging] = useState(false);
  const [rotated, setRotated] = useState<NewWebhook | null>(null);
  const [toRemove, setToRemove] = useState<Webhook | null>(null);
  const isEnabled = webhook.status !== 'disabled';
  const toggle = useAction(useWebhooksRefetch(() => source.change(webhook.id, { enabled: !isEnabled })));
  const rotate = useAction(
    useWebhooksRefetch(async () => {
      setRotated(await source.rotate(webhook.id));
    }),
  );
  const remove = useAction(
    useWebhooksRefetch(async ({ id }: Webhook) => {
      await source.remove(id);
      void navigate(source.path);
    }),
  );
  return (
    <>
      <Group gap="sm">
        <Button variant="default" onClick={() => setChanging(true)}>
          Change
        </Button>
        <Button variant="default" loading={rotate.isPending} onClick={rotate.run}>
          Rotate secret
        </Button>
        <Button variant="default" loading={toggle.isPending} onClick={toggle.run}>
          {isEnabled ? 'Disable' : 'Enable'}
        </Button>
        <Button variant="subtle" color="red" onClick={() => setToRemove(webhook)}>
          Remove
        </Button>
      </Group>
      <ErrorNotice error={rotate.error ?? toggle.error} />
      {rotated !== null && (
        <SecretDialog
          title="New secret of the webhook"
          advice="Your receiver checks signatures with it. For 24 hours, requests are signed with both secrets."
          secret={rotated.secret}
          onClose={() => setRotated(null)}
        />
      )}
      <WebhookDialog
        key={JSON.stringify(webhook)}
        opened={isChanging}
        webhook={webhook}
        onClose={() => setChanging(false)}
      />
      <ConfirmDialog
        subject={toRemove}
        title="Remove this webhook?"
        confirmLabel="Remove webhook"
        action={remove}
        onClose={() => setToRemove(null)}
      >
        {({ url }) => (
          <Text className="break-anywhere">
            <strong>{url}</strong> gets no more events, and its history is deleted.
          </Text>
        )}
      </ConfirmDialog>
    </>
  );
}
