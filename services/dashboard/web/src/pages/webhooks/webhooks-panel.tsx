import { Badge, Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { NewWebhook, Webhook } from '../../../../wire/webhooks.ts';
import { AccountLink } from '../../components/account-link.tsx';
import { type Column, EntryTable } from '../../components/entry-table.tsx';
import { Hint } from '../../components/hint.tsx';
import { ManagedTable } from '../../components/managed-table.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { REFETCH_MS, useAccountWebhooks } from './use-webhooks.ts';
import { WebhookDialog } from './webhook-dialog.tsx';
import { useWebhookSource, type WebhookSource, WebhookSourceProvider } from './webhook-source.ts';

interface WebhooksPanelProps {
  source: WebhookSource;
  title: string;
  description?: string;
  mayChange: boolean;
}

/** Lists webhooks, and adds one. */
export function WebhooksPanel({ source, title, description, mayChange }: WebhooksPanelProps) {
  const [isAdding, setAdding] = useState(false);
  const [added, setAdded] = useState<NewWebhook | null>(null);
  return (
    <WebhookSourceProvider value={source}>
      <Panel
        title={title}
        description={description}
        actions={
          mayChange && (
            <Button
              size="xs"
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={() => setAdding(true)}
            >
              Add webhook
            </Button>
          )
        }
      >
        {source.managed === undefined ? <AccountWebhooks /> : <ManagedWebhooks {...source.managed} />}
      </Panel>
      {added !== null && (
        <SecretDialog
          title="Secret of the webhook"
          advice="Your receiver checks the signature of each request with it."
          secret={added.secret}
          onClose={() => setAdded(null)}
        />
      )}
      <WebhookDialog opened={isAdding} onClose={() => setAdding(false)} onAdded={setAdded} />
    </WebhookSourceProvider>
  );
}

function AccountWebhooks() {
  const webhooks = useAccountWebhooks();
  return (
    <>
      <QueryState query={webhooks} loading="Reading the webhooks" />
      {webhooks.data?.length === 0 && NO_WEBHOOK}
      {webhooks.data !== undefined && webhooks.data.length > 0 && (
        <EntryTable {...TABLE} entries={webhooks.data} columns={[urlColumn, ...columns]} />
      )}
    </>
  );
}

function ManagedWebhooks({ accountId }: { accountId?: string }) {
  const owner = accountId === undefined ? [ownerColumn] : [];
  return (
    <ManagedTable
      {...TABLE}
      operation="listWebhooks"
      request={{ query: accountId === undefined ? {} : { account_id: accountId } }}
      columns={[urlColumn, ...owner, ...columns]}
      refetchMs={REFETCH_MS}
      empty={NO_WEBHOOK}
    />
  );
}

const NO_WEBHOOK = <Hint>No webhook yet. Add one to get events about budgets, keys and more.</Hint>;
const TABLE = {
  caption: 'Webhooks',
  idOf: ({ id }: Webhook) => id,
  isDimmed: ({ status }: Webhook) => status === 'disabled',
  cardsBelow: '62em',
};

const urlColumn: Column<Webhook> = {
  id: 'url',
  header: 'URL',
  cell: (webhook) => <WebhookLink webhook={webhook} />,
};

const ownerColumn: Column<Webhook> = {
  id: 'account',
  header: 'Account',
  cell: ({ account_id: id }) => (id === null ? 'Installation' : <AccountLink id={id} />),
};

const columns: Column<Webhook>[] = [
  { id: 'events', header: 'Events', cell: ({ events }) => events.join(', ') },
  {
    id: 'created',
    header: 'Added',
    cell: ({ created_at: at }) => <Moment ms={Date.parse(at)} />,
  },
  { id: 'status', header: 'Status', cell: ({ status }) => <WebhookStatus status={status} /> },
];

function WebhookLink({ webhook: { description, id, url } }: { webhook: Webhook }) {
  const { path } = useWebhookSource();
  return (
    <>
      <span className="break-anywhere">
        <TextLink to={`${path}/${id}`}>{url}</TextLink>
      </span>
      {description !== '' && <Hint>{description}</Hint>}
    </>
  );
}

const STATUS = {
  enabled: { color: 'green', label: 'Enabled' },
  failing: { color: 'red', label: 'Failing' },
  disabled: { color: 'gray', label: 'Disabled' },
} as const;

export function WebhookStatus({ status }: Pick<Webhook, 'status'>) {
  const { color, label } = STATUS[status];
  return <Badge color={color}>{label}</Badge>;
}
