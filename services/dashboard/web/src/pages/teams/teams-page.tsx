import { Button, Stack } from '@mantine/core';
import { IconPlus, IconUsersGroup } from '@tabler/icons-react';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useMay } from '../../session/use-may.ts';
import { CreateTeamDialog } from './create-team-dialog.tsx';
import { OfferedSeats } from './offered-seats.tsx';
import { TeamCards } from './team-cards.tsx';
import { useTeams } from './use-teams.ts';

export function TeamsPage() {
  const teams = useTeams();
  const [isCreating, setCreating] = useState(false);
  const mayCreate = useMay('admin');
  const createButton = mayCreate && (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
      Create team
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Teams"
        description={
          'A team shares a budget and a rate limit. Everybody with a seat creates their own keys, and the ' +
          'team pays.'
        }
        actions={teams.data !== undefined && teams.data.teams.length > 0 ? createButton : undefined}
      />
      <Stack gap="lg">
        <QueryState query={teams} loading="Loading your teams" />
        {teams.data !== undefined && <OfferedSeats offered={teams.data.offeredSeats} />}
        {teams.data?.teams.length === 0 && (
          <EmptyState
            icon={<IconUsersGroup size={28} />}
            title={mayCreate ? 'You are not in a team yet' : 'No teams yet'}
            action={createButton}
          >
            {mayCreate ? (
              <>
                Create one and give seats to your colleagues by their <span className="no-wrap">e-mail</span>{' '}
                address. To join somebody else’s team, ask its owner for an invitation.
              </>
            ) : (
              'Owners and admins of this account create teams.'
            )}
          </EmptyState>
        )}
        {teams.data !== undefined && <TeamCards teams={teams.data.teams} />}
      </Stack>
      <CreateTeamDialog opened={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}
