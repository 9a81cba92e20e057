import { Badge, Button, Code, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Key } from '../../../../wire/management.ts';
import { changeManagement } from '../../api/management.ts';
import { refreshManagement } from '../../api/use-management.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Hint } from '../../components/hint.tsx';
import { CACHE_OFF, CacheField, cacheOf } from '../../components/key-cache.tsx';
import { ManagedTable } from '../../components/managed-table.tsx';
import { Moment } from '../../components/moment.tsx';
import { nameProblem } from '../../components/name-problem.ts';
import { Panel } from '../../components/panel.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useForm } from '../../components/use-form.ts';
import { consolePaths } from '../../console-paths.ts';
import { useMayChange } from '../../session/use-may-change.ts';

type KeyOwner = { account_id: string } | { seat_id: string };

/** Lists the keys of an account or a seat, and creates one. */
export function KeysPanel({ owner }: { owner: KeyOwner }) {
  const mayChange = useMayChange();
  const [isCreating, setCreating] = useState(false);
  const [rawKey, setRawKey] = useState<string>();
  return (
    <Panel
      title="Keys"
      actions={
        mayChange && (
          <Button size="xs" variant="default" onClick={() => setCreating(true)}>
            Create key
          </Button>
        )
      }
    >
      <ManagedTable
        operation="listKeys"
        request={{ query: owner }}
        caption="Keys"
        idOf={({ id }) => id}
        isDimmed={({ status }) => status !== 'active'}
        columns={[
          {
            id: 'name',
            header: 'Name',
            width: '34%',
            cell: ({ id, name }) => <TextLink to={consolePaths.key(id)}>{name}</TextLink>,
          },
          { id: 'prefix', header: 'Key', cell: ({ prefix }) => <Code>{prefix}…</Code> },
          { id: 'status', header: 'Status', cell: KeyState },
          { id: 'created', header: 'Created', cell: (each) => <Moment ms={Date.parse(each.created_at)} /> },
        ]}
        empty={<Hint>There is no key yet. The holder creates one in the dashboard, or you do it here.</Hint>}
      />
      {isCreating && (
        <CreateKeyDialog
          owner={owner}
          onClose={() => setCreating(false)}
          onCreated={(raw) => {
            setCreating(false);
            setRawKey(raw);
          }}
        />
      )}
      {rawKey !== undefined && (
        <SecretDialog
          title="New key"
          advice="Send it to the holder of the account over a secure channel."
          secret={rawKey}
          onClose={() => setRawKey(undefined)}
        />
      )}
    </Panel>
  );
}

const STATE_COLORS: Record<Key['status'], string> = {
  active: 'green',
  expired: 'gray',
  revoked: 'gray',
  suspended: 'orange',
};

/** Shows whether a key works. */
export function KeyState({ status, stopped_by }: Key) {
  return (
    <Badge color={STATE_COLORS[status]}>{stopped_by === null ? status : `Stopped by ${stopped_by}`}</Badge>
  );
}

interface CreateKeyDialogProps {
  owner: KeyOwner;
  onClose: () => void;
  onCreated: (rawKey: string) => void;
}

function CreateKeyDialog({ owner, onClose, onCreated }: CreateKeyDialogProps) {
  const form = useForm({
    fields: { name: '', expires: '', cache: CACHE_OFF },
    check: ({ name }) => ({ name: nameProblem(name, 'Enter a name.') }),
    send: async ({ cache, expires, name }) => {
      const expiry = expires === '' ? {} : { expires_at: new Date(expires).toISOString() };
      const { body } = await changeManagement('createKey', {
        body: { ...owner, ...expiry, name: name.trim(), cache: cacheOf(cache) },
      });
      await refreshManagement();
      onCreated(body.key);
    },
  });
  return (
    <FormDialog opened title="Create key" submitLabel="Create key" form={form} onClose={onClose}>
      <TextInput label="Name" placeholder="CI" autoComplete="off" data-autofocus {...form.field('name')} />
      <TextInput
        label="Works until"
        description="In your time zone. Empty: no end."
        type="datetime-local"
        {...form.field('expires')}
      />
      <CacheField field={form.field('cache')} />
    </FormDialog>
  );
}
