import { Stack } from '@mantine/core';
import { IconUserOff } from '@tabler/icons-react';
import { useParams } from 'react-router';
import { BackLink } from '../../components/back-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RulesPanels } from '../rules/rules-panels.tsx';
import { useTeams } from './use-teams.ts';

/** Shows what the keys on a seat may spend and use. Only the owner of the team changes it. */
export function SeatPage() {
  const { teamId = '', seatId } = useParams();
  const teams = useTeams();
  const team = teams.data?.teams.find(({ id }) => id === teamId);
  const seat = team?.seats.find(({ id }) => id === seatId);
  return (
    <>
      <BackLink to={`/dashboard/teams/${encodeURIComponent(teamId)}`}>{team?.name ?? 'Team'}</BackLink>
      <PageHeader
        title={seat?.isOwn ? 'Your seat' : 'Seat'}
        description={
          seat && (
            <>
              The rules of this seat apply to all of its keys, also to later ones. Holder:{' '}
              <Identifier id={seat.email} />
            </>
          )
        }
      />
      <Stack gap="lg">
        <QueryState query={teams} loading="Loading the seat" />
        {team !== undefined && seat !== undefined && (
          <RulesPanels
            owner={{ kind: 'seat', id: seat.id }}
            editTitle={team.role === 'owner' ? 'Rules of the seat' : undefined}
            noBudgets="This seat has no budget: it can spend all that its pools and the team’s have."
          />
        )}
        {teams.data !== undefined && seat === undefined && (
          <EmptyState icon={<IconUserOff size={28} />} title="There is no such seat">
            It may have been removed, or it belongs to somebody else.
          </EmptyState>
        )}
      </Stack>
    </>
  );
}
