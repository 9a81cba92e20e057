import { Badge, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { AdminKeyEntry, CreateAdminKeyResponse } from '../../../../wire/admin-keys.ts';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { ACTIONS, type Column, EntryTable } from '../../components/entry-table.tsx';
import { FocusedAlert } from '../../components/focused-alert.tsx';
import { Hint } from '../../components/hint.tsx';
import { Moment } from '../../components/moment.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RemovalButton } from '../../components/removal-button.tsx';
import { CreateAdminKeyDialog } from './create-admin-key-dialog.tsx';
import { useAdminKeys, useAdminKeysRefetch } from './use-admin-keys.ts';

export function AdminKeysPage() {
  const keys = useAdminKeys();
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<CreateAdminKeyResponse | null>(null);
  const [toRevoke, setToRevoke] = useState<AdminKeyEntry | null>(null);
  const revoke = useAction(
    useAdminKeysRefetch(async ({ id }: AdminKeyEntry) => {
      await postJson<undefined>(`/api/admin-keys/${encodeURIComponent(id)}/revoke`);
      setToRevoke(null);
    }),
  );
  const actions: Column<AdminKeyEntry> = {
    ...ACTIONS,
    cell: (key) =>
      key.revokedAtMs === null && (
        <RemovalButton label={`Revoke ${key.name}`} onClick={() => setToRevoke(key)}>
          Revoke
        </RemovalButton>
      ),
  };
  return (
    <>
      <PageHeader
        title="Admin keys"
        description="An admin key lets a program manage this account through the management API. It cannot call models."
        actions={
          <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
            Create admin key
          </Button>
        }
      />
      <Stack gap="lg">
        {created !== null && (
          <NewAdminKey key={created.key.id} created={created} onDone={() => setCreated(null)} />
        )}
        <QueryState query={keys} loading="Loading the admin keys" />
        {keys.data !== undefined && (
          <Panel title="Keys of this account">
            {keys.data.keys.length === 0 ? (
              <Hint>No admin key yet. Create one for Terraform, a script or another program.</Hint>
            ) : (
              <EntryTable
                caption="Admin keys"
                entries={keys.data.keys}
                idOf={({ id }) => id}
                isDimmed={({ revokedAtMs }) => revokedAtMs !== null}
                columns={[...columns, actions]}
                cardsBelow="74em"
              />
            )}
          </Panel>
        )}
      </Stack>
      <CreateAdminKeyDialog
        opened={isCreating}
        grantable={keys.data?.grantable ?? []}
        onClose={() => setCreating(false)}
        onCreated={setCreated}
      />
      <ConfirmDialog
        subject={toRevoke}
        title="Revoke this admin key?"
        confirmLabel="Revoke key"
        action={revoke}
        onClose={() => setToRevoke(null)}
      >
        {({ name }) => (
          <Text className="break-anywhere">
            Programs that use <strong>{name}</strong> stop working at once. You cannot undo this.
          </Text>
        )}
      </ConfirmDialog>
    </>
  );
}

function NewAdminKey({ created, onDone }: { created: CreateAdminKeyResponse; onDone: () => void }) {
  return (
    <FocusedAlert color="orange" title="Copy it now">
      <Text size="sm">This is the only time that the key “{created.key.name}” is shown.</Text>
      <Code
        block
        my="sm"
        className="break-anywhere"
        aria-label="Admin key"
        role="textbox"
        aria-readonly
        tabIndex={0}
      >
        {created.rawKey}
      </Code>
      <Group gap="sm">
        <CopyButton value={created.rawKey} label="Copy key" variant="filled" size="sm" />
        <Button variant="default" size="sm" onClick={onDone}>
          I have saved it
        </Button>
      </Group>
    </FocusedAlert>
  );
}

const columns: [Column<AdminKeyEntry>, ...Column<AdminKeyEntry>[]] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name }) => (
      <Text span size="sm" fw={600} className="cell-name">
        {name}
      </Text>
    ),
  },
  {
    id: 'key',
    header: 'Key',
    cell: ({ displayPrefix }) => (
      <Code fz="sm" className="no-wrap">
        {displayPrefix}…
      </Code>
    ),
  },
  { id: 'scopes', header: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
  {
    id: 'networks',
    header: 'Networks',
    cell: ({ networks }) => (networks.length === 0 ? 'Any' : networks.join(', ')),
  },
  {
    id: 'used',
    header: 'Last used',
    cell: ({ lastUsedAtMs }) => (lastUsedAtMs === null ? 'Not yet' : <Moment ms={lastUsedAtMs} />),
  },
  { id: 'status', header: 'Status', cell: (key) => <Status adminKey={key} /> },
];

function Status({ adminKey: { expiresAtMs, revokedAtMs } }: { adminKey: AdminKeyEntry }) {
  if (revokedAtMs !== null) return <Badge color="gray">Revoked</Badge>;
  if (expiresAtMs === null) return <Badge color="green">Active</Badge>;
  if (expiresAtMs <= Date.now()) return <Badge color="gray">Expired</Badge>;
  return (
    <span>
      Ends <Moment ms={expiresAtMs} />
    </span>
  );
}
