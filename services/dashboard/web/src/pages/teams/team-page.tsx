import { Button, Stack } from '@mantine/core';
import { IconUsersGroup } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import type { Pool } from '../../../../wire/usage.ts';
import { BackLink } from '../../components/back-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { formatDate } from '../../format/format-time.ts';
import { RulesPanels } from '../rules/rules-panels.tsx';
import { RoleBadge } from './role-badge.tsx';
import { TeamLimitPanel } from './team-limit-panel.tsx';
import { TeamPoolsPanel } from './team-pools-panel.tsx';
import { TeamSeatsPanel } from './team-seats-panel.tsx';
import { useTeams } from './use-teams.ts';

/** Shows the pools, seats, rate limit and rules of a team; to members only their own seat and pools. */
export function TeamPage() {
  const { teamId } = useParams();
  const teams = useTeams();
  const team = teams.data?.teams.find(({ id }) => id === teamId);
  const noPools: Pool[] = [];
  return (
    <>
      <BackLink to="/dashboard/teams">All teams</BackLink>
      <PageHeader
        key={team === undefined ? 'unknown' : team.id}
        title={team?.name ?? 'Team'}
        description={team && `Created ${formatDate(team.createdAtMs)}`}
        actions={team && <RoleBadge role={team.role} />}
      />
      <Stack gap="lg">
        <QueryState query={teams} loading="Loading the team" />
        {teams.data !== undefined && team === undefined && (
          <EmptyState
            icon={<IconUsersGroup size={28} />}
            title="You are not in this team"
            action={
              <Button component={Link} to="/dashboard/teams">
                Your teams
              </Button>
            }
          >
            You may have lost your seat, or the address is wrong. Ask the owner of the team.
          </EmptyState>
        )}
        {team !== undefined && (
          <>
            <TeamPoolsPanel team={team} accountPools={teams.data?.accountPools ?? noPools} />
            <TeamSeatsPanel team={team} />
            <TeamLimitPanel team={team} />
            {team.role === 'owner' && (
              <RulesPanels
                owner={{ kind: 'team', id: team.id }}
                editTitle={`Rules of ${team.name}`}
                noBudgets="The team has no budget: its seats can spend all that its pools have."
              />
            )}
          </>
        )}
      </Stack>
    </>
  );
}
