import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { changeManagement } from '../../api/management.ts';
import { refreshManagement } from '../../api/use-management.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Hint } from '../../components/hint.tsx';
import { ManagedTable } from '../../components/managed-table.tsx';
import { Moment } from '../../components/moment.tsx';
import { nameProblem } from '../../components/name-problem.ts';
import { Panel } from '../../components/panel.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { useForm } from '../../components/use-form.ts';
import { consolePaths } from '../../console-paths.ts';
import { formatCount } from '../../format/format-count.ts';
import { useMayChange } from '../../session/use-may-change.ts';

/** Lists the teams of an account, and creates one. */
export function TeamsPanel({ accountId }: { accountId: string }) {
  const mayChange = useMayChange();
  const [isCreating, setCreating] = useState(false);
  return (
    <Panel
      title="Teams"
      description="With a seat in a team, another account's keys spend the team's money."
      actions={
        mayChange && (
          <Button size="xs" variant="default" onClick={() => setCreating(true)}>
            Create team
          </Button>
        )
      }
    >
      <ManagedTable
        operation="listTeams"
        request={{ query: { account_id: accountId } }}
        caption="Teams"
        idOf={({ id }) => id}
        columns={[
          {
            id: 'name',
            header: 'Name',
            width: '40%',
            cell: ({ id, name }) => <TextLink to={consolePaths.team(id)}>{name}</TextLink>,
          },
          {
            id: 'limit',
            header: 'Requests a minute',
            align: 'right',
            cell: (team) => formatCount(team.requests_per_minute),
          },
          { id: 'created', header: 'Created', cell: (team) => <Moment ms={Date.parse(team.created_at)} /> },
        ]}
        empty={<Hint>The account has no team.</Hint>}
      />
      {isCreating && <CreateTeamDialog accountId={accountId} onClose={() => setCreating(false)} />}
    </Panel>
  );
}

function CreateTeamDialog({ accountId, onClose }: { accountId: string; onClose: () => void }) {
  const form = useForm({
    fields: { name: '' },
    check: ({ name }) => ({ name: nameProblem(name, 'Enter a name.') }),
    send: async ({ name }) => {
      await changeManagement('createTeam', { body: { account_id: accountId, name: name.trim() } });
      await refreshManagement();
      onClose();
    },
  });
  return (
    <FormDialog opened title="Create team" submitLabel="Create team" form={form} onClose={onClose}>
      <TextInput label="Name" autoComplete="off" data-autofocus {...form.field('name')} />
    </FormDialog>
  );
}
