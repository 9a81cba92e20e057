import { Badge, Button, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { NewWebhook, Webhook } from '../../../../wire/webhooks.ts';
import { AccountLink } from '../../components/account-link.tsx';
import { type Column, EntryTable } from '../../components/entry-table.tsx';
import { Hint } from '../../components/hint.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useSession } from '../../session/use-session.ts';
import { NewSecret } from './new-secret.tsx';
import { useWebhooks } from './use-webhooks.ts';
import { WebhookDialog } from './webhook-dialog.tsx';
import {
  accountWebhooks,
  installationWebhooks,
  useWebhookSource,
  WebhookSourceProvider,
} from './webhook-source.ts';

/** Shows the webhooks of the account. */
export function WebhooksPage() {
  return (
    <WebhookSourceProvider value={accountWebhooks}>
      <WebhookList mayChange />
    </WebhookSourceProvider>
  );
}

/** Shows all webhooks, in the console. */
export function InstallationWebhooksPage() {
  const mayChange = useSession().data?.user?.installationRole === 'operator';
  return (
    <WebhookSourceProvider value={installationWebhooks}>
      <WebhookList mayChange={mayChange} />
    </WebhookSourceProvider>
  );
}

function WebhookList({ mayChange }: { mayChange: boolean }) {
  const { isOfInstallation } = useWebhookSource();
  const webhooks = useWebhooks();
  const [isAdding, setAdding] = useState(false);
  const [added, setAdded] = useState<NewWebhook | null>(null);
  return (
    <>
      <PageHeader
        title="Webhooks"
        description={
          isOfInstallation
            ? 'URLs that get a request when something happens: those of accounts, and your own alerts.'
            : 'A webhook gets a request when something happens in this account, such as a budget at 80 %.'
        }
        actions={
          mayChange && (
            <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setAdding(true)}>
              Add webhook
            </Button>
          )
        }
      />
      <Stack gap="lg">
        {added !== null && <NewSecret webhook={added} onDone={() => setAdded(null)} />}
        <QueryState query={webhooks} loading="Reading the webhooks" />
        {webhooks.data !== undefined && (
          <Panel title={isOfInstallation ? 'All webhooks' : 'Webhooks of this account'}>
            {webhooks.data.length === 0 ? (
              <Hint>No webhook yet. Add one to get events about budgets, keys and more.</Hint>
            ) : (
              <EntryTable
                caption="Webhooks"
                entries={webhooks.data}
                idOf={({ id }) => id}
                isDimmed={({ status }) => status === 'disabled'}
                columns={isOfInstallation ? [urlColumn, ownerColumn, ...columns] : [urlColumn, ...columns]}
                cardsBelow="62em"
              />
            )}
          </Panel>
        )}
      </Stack>
      <WebhookDialog opened={isAdding} onClose={() => setAdding(false)} onAdded={setAdded} />
    </>
  );
}

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
