import { Button, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Seat } from '../../../../wire/management.ts';
import { changeManagement } from '../../api/management.ts';
import { useAction } from '../../api/use-action.ts';
import { refreshManagement } from '../../api/use-management.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ACTIONS } from '../../components/entry-table.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Hint } from '../../components/hint.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { ManagedTable } from '../../components/managed-table.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { RemovalButton } from '../../components/removal-button.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useForm } from '../../components/use-form.ts';
import { consolePaths } from '../../console-paths.ts';
import { useMayChange } from '../../session/use-may-change.ts';

/** Lists the seats of a team, gives one to an account, and removes one. */
export function SeatsPanel({ teamId }: { teamId: string }) {
  const mayChange = useMayChange();
  const [isAdding, setAdding] = useState(false);
  const [toRemove, setToRemove] = useState<Seat | null>(null);
  const remove = useAction(async ({ id }: Seat) => {
    await changeManagement('removeSeat', { path: { id } });
    await refreshManagement();
    setToRemove(null);
  });
  const actions = {
    ...ACTIONS,
    cell: (seat: Seat) => (
      <RemovalButton label={`Remove the seat of ${seat.email}`} onClick={() => setToRemove(seat)}>
        Remove
      </RemovalButton>
    ),
  };
  return (
    <Panel
      title="Seats"
      actions={
        mayChange && (
          <Button size="xs" variant="default" onClick={() => setAdding(true)}>
            Add seat
          </Button>
        )
      }
    >
      <ManagedTable
        operation="listSeats"
        request={{ query: { team_id: teamId } }}
        caption="Seats"
        idOf={({ id }) => id}
        columns={[
          {
            id: 'holder',
            header: 'Holder',
            width: '45%',
            cell: ({ email, id }) => (
              <Stack gap={0} align="flex-start">
                <Identifier id={email} />
                <TextLink to={consolePaths.seat(id)}>Open the seat</TextLink>
              </Stack>
            ),
          },
          {
            id: 'external',
            header: 'External id',
            cell: ({ external_id }) => external_id ?? '–',
            isEmpty: ({ external_id }) => external_id === null,
          },
          { id: 'created', header: 'Since', cell: (seat) => <Moment ms={Date.parse(seat.created_at)} /> },
          ...(mayChange ? [actions] : []),
        ]}
        empty={<Hint>Nobody has a seat in this team.</Hint>}
      />
      {isAdding && <AddSeatDialog teamId={teamId} onClose={() => setAdding(false)} />}
      <ConfirmDialog
        subject={toRemove}
        title="Remove this seat?"
        confirmLabel="Remove seat"
        action={remove}
        onClose={() => setToRemove(null)}
      >
        {({ email }) => `The keys of ${email} on this seat are revoked, and its pools are taken away.`}
      </ConfirmDialog>
    </Panel>
  );
}

function AddSeatDialog({ teamId, onClose }: { teamId: string; onClose: () => void }) {
  const form = useForm({
    fields: { account_id: '' },
    check: ({ account_id }) => ({
      account_id: account_id.trim() === '' ? 'Enter the address or id of an account.' : undefined,
    }),
    send: async ({ account_id }) => {
      await changeManagement('createSeat', { body: { team_id: teamId, account_id: account_id.trim() } });
      await refreshManagement();
      onClose();
    },
  });
  return (
    <FormDialog opened title="Add a seat" submitLabel="Add seat" form={form} onClose={onClose}>
      <TextInput
        label="Account"
        description="Its e-mail address or id. The account must exist."
        autoComplete="off"
        data-autofocus
        {...form.field('account_id')}
      />
    </FormDialog>
  );
}
