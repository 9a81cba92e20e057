import { Button, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import type { Team } from '../../../../wire/management.ts';
import { changeManagement, type Managed } from '../../api/management.ts';
import { useAction } from '../../api/use-action.ts';
import { refreshManagement, useManagement } from '../../api/use-management.ts';
import { AccountLink } from '../../components/account-link.tsx';
import { BackLink } from '../../components/back-link.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Fact } from '../../components/fact.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { Moment } from '../../components/moment.tsx';
import { nameProblem } from '../../components/name-problem.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useForm } from '../../components/use-form.ts';
import { consolePaths } from '../../console-paths.ts';
import { formatCount } from '../../format/format-count.ts';
import { useMayChange } from '../../session/use-may-change.ts';
import { AuditPanel } from '../panels/audit-panel.tsx';
import { ManagedRules } from '../panels/managed-rules.tsx';
import { PoolsPanel } from '../panels/pools-panel.tsx';
import { UsagePanel } from '../panels/usage-panel.tsx';
import { SeatsPanel } from './seats-panel.tsx';

/** Shows everything about one team. */
export function TeamPage() {
  const { teamId = '' } = useParams();
  const team = useManagement('getTeam', { path: { id: teamId } });
  const accountId = team.data?.body.account_id;
  return (
    <>
      <BackLink to={accountId === undefined ? '/operate/accounts' : consolePaths.account(accountId)}>
        {accountId === undefined ? 'Accounts' : 'Account'}
      </BackLink>
      {team.data === undefined && <PageHeader title="Team" />}
      <QueryState query={team} loading="Reading the team" />
      {team.data !== undefined && <TeamDetails key={teamId} managed={team.data} />}
    </>
  );
}

function TeamDetails({ managed }: { managed: Managed<'getTeam'> }) {
  const team = managed.body;
  const { account_id, created_at, deleted_at, external_id, id, name, requests_per_minute } = team;
  const mayChange = useMayChange() && deleted_at === null;
  const navigate = useNavigate();
  const [isEditing, setEditing] = useState(false);
  const [toDelete, setToDelete] = useState<Team | null>(null);
  const remove = useAction(async (_team: Team) => {
    await changeManagement('deleteTeam', { path: { id } });
    await navigate(consolePaths.account(account_id));
    await refreshManagement();
  });
  return (
    <>
      <PageHeader
        title={name}
        description={deleted_at === null ? 'Team' : 'Team, deleted'}
        actions={
          mayChange && (
            <>
              <Button variant="default" onClick={() => setEditing(true)}>
                Edit team
              </Button>
              <Button variant="default" color="red" onClick={() => setToDelete(team)}>
                Delete
              </Button>
            </>
          )
        }
      />
      <Stack gap="lg">
        <Panel title="About this team">
          <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }} spacing="md">
            <Fact label="Owner">
              <AccountLink id={account_id} />
            </Fact>
            <Fact label="Id">
              <Identifier id={id} withCopy />
            </Fact>
            <Fact label="External id">{external_id ?? 'None'}</Fact>
            <Fact label="Requests a minute">{formatCount(requests_per_minute)}</Fact>
            <Fact label="Created">
              <Moment ms={Date.parse(created_at)} />
            </Fact>
          </SimpleGrid>
        </Panel>
        {deleted_at === null && (
          <>
            <SeatsPanel teamId={id} />
            <PoolsPanel owner={{ team_id: id }} none="No pool: the account of the team pays for its seats." />
            <ManagedRules
              owner={{ kind: 'team', id }}
              editTitle={`Rules of ${name}`}
              noBudgets="This team has no budget."
            />
          </>
        )}
        <UsagePanel owner={{ team_id: id }} />
        <AuditPanel query={{ object_id: id }} />
      </Stack>
      {isEditing && <EditTeamDialog managed={managed} onClose={() => setEditing(false)} />}
      <ConfirmDialog
        subject={toDelete}
        title="Delete this team?"
        confirmLabel="Delete team"
        action={remove}
        onClose={() => setToDelete(null)}
      >
        {(shown) => `The seats of ${shown.name} end, their keys are revoked, and its pools are taken away.`}
      </ConfirmDialog>
    </>
  );
}

function EditTeamDialog({ managed, onClose }: { managed: Managed<'getTeam'>; onClose: () => void }) {
  const { id, name: current, requests_per_minute } = managed.body;
  const form = useForm({
    fields: { name: current, limit: String(requests_per_minute) },
    check: ({ limit, name }) => ({
      name: nameProblem(name, 'Enter a name.'),
      limit: /^[1-9]\d{0,8}$/.test(limit.trim()) ? undefined : 'Enter a whole number.',
    }),
    send: async ({ limit, name }) => {
      const body = { name: name.trim(), requests_per_minute: Number(limit) };
      await changeManagement('changeTeam', { path: { id }, body }, managed);
      await refreshManagement();
      onClose();
    },
  });
  return (
    <FormDialog opened title="Edit team" submitLabel="Save" form={form} onClose={onClose}>
      <TextInput label="Name" autoComplete="off" data-autofocus {...form.field('name')} />
      <TextInput
        label="Requests a minute"
        description="Shared by all keys on its seats."
        inputMode="numeric"
        autoComplete="off"
        {...form.field('limit')}
      />
    </FormDialog>
  );
}
