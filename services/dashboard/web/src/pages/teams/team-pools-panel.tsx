import { Button, SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import type { Team } from '../../../../wire/teams.ts';
import type { Pool } from '../../../../wire/usage.ts';
import { Hint } from '../../components/hint.tsx';
import { Panel } from '../../components/panel.tsx';
import { PoolCard } from '../../components/pool-card.tsx';
import { shellWord } from '../../format/shell-word.ts';
import { MoreCredit } from '../../session/more-credit.tsx';
import { MoveMoneyDialog } from './move-money-dialog.tsx';
import { poolOwnerLabel } from './pool-owner-label.ts';
import { hasMoney, isOfFormerSeat, listShownPools } from './shown-pools.ts';
import { useManages } from './use-manages.ts';

interface TeamPoolsPanelProps {
  team: Team;
  accountPools: readonly Pool[];
}

/** Shows the pools of the team and of its seats. */
export function TeamPoolsPanel({ team, accountPools }: TeamPoolsPanelProps) {
  const [isMoving, setMoving] = useState(false);
  const isOwner = team.role === 'owner';
  const manages = useManages(team);
  const sources = [...accountPools, ...team.pools].filter(hasMoney);
  const pools = listShownPools(team);
  return (
    <Panel
      title="Pools"
      description={
        isOwner
          ? 'A seat’s own pool is used first, then the team’s.'
          : 'Your requests on this team’s seat are paid from your seat’s pool first, then from the team’s.'
      }
      actions={
        manages &&
        sources.length > 0 && (
          <Button variant="default" size="xs" onClick={() => setMoving(true)}>
            Move money
          </Button>
        )
      }
    >
      {pools.length === 0 ? (
        <Hint>{emptyText(manages, accountPools.some(hasMoney))}</Hint>
      ) : (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          {pools.map((pool) => (
            <PoolCard
              key={pool.id}
              pool={pool}
              ownerLabel={poolOwnerLabel(pool, team)}
              {...(isOfFormerSeat(pool, team) && { note: formerSeatNote })}
            />
          ))}
        </SimpleGrid>
      )}
      {manages && sources.length === 0 && (
        <MoreCredit command={`pools add --team ${shellWord(team.id)} --usd 50.00 --resets monthly`}>
          Only the operator of this gateway can add pools. Send them this command, with the amount that the
          team needs.
        </MoreCredit>
      )}
      {manages && sources.length > 0 && (
        <MoveMoneyDialog team={team} sources={sources} opened={isMoving} onClose={() => setMoving(false)} />
      )}
    </Panel>
  );
}

const formerSeatNote =
  'Its seat has been removed, so nobody can use it. Move it to the team, to another seat or to your account.';

function emptyText(manages: boolean, hasAccountPools: boolean): string {
  if (!manages) return 'The team has no pool yet, so you can use only free models. Ask its owner.';
  return hasAccountPools
    ? 'The team has no pool yet, so its seats can use only free models. Move money from your account.'
    : 'The team has no pool yet, and your account has no money to move. You can still use free models.';
}
