import { Button, SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import type { Pool } from '../../../../wire/usage.ts';
import { FoldingPanel } from '../../components/folding-panel.tsx';
import { Hint } from '../../components/hint.tsx';
import { PoolCard } from '../../components/pool-card.tsx';
import { shellWord } from '../../format/shell-word.ts';
import { MoreCredit } from '../../session/more-credit.tsx';
import { useSession } from '../../session/use-session.ts';
import { useKeys } from '../keys/use-keys.ts';
import type { UsageOwner } from './find-usage-owner.ts';
import { isBalanceLow, listPoolsInUse } from './is-balance-low.ts';

interface PoolsPanelProps {
  pools: readonly Pool[];
  owner: UsageOwner | undefined;
}

const SHOWN_AT_FIRST = 4;

/** Shows the pools that pay for requests, in the order of their use. */
export function PoolsPanel({ pools, owner }: PoolsPanelProps) {
  const hasSeat = (useKeys().data?.seats.length ?? 0) > 0;
  const { user, creditUrl } = useSession().data ?? {};
  const email = user?.email;
  const offersCredit = creditUrl != null || isBalanceLow(pools);
  const [isWhole, setWhole] = useState(false);
  const inUse = listPoolsInUse(pools);
  const shown = isWhole ? pools : (inUse.length > 0 ? inUse : pools).slice(0, SHOWN_AT_FIRST);
  return (
    <FoldingPanel
      name="pools"
      title="Pools"
      description="Paid models are charged to these pools, in this order. Free models need none."
    >
      {pools.length === 0 ? (
        <Hint>{emptyText(owner, hasSeat)}</Hint>
      ) : (
        <SimpleGrid cols={{ base: 1, sm: shown.length > 1 ? 2 : 1 }} spacing="md">
          {shown.map((pool) => (
            <PoolCard key={pool.id} pool={pool} />
          ))}
        </SimpleGrid>
      )}
      {(isWhole || shown.length < pools.length) && (
        <Button variant="subtle" size="xs" onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
          {isWhole ? 'Show fewer' : `Show all ${pools.length} pools, including empty ones`}
        </Button>
      )}
      {owner?.kind === 'account' && email !== undefined && offersCredit && (
        <MoreCredit command={`pools add --account ${shellWord(email)} --usd 5.00 --resets monthly`}>
          {pools.length > 0 && 'Your balance is low. '}
          Only the operator of this gateway can add pools. Send them this command, with the amount that you
          need.
        </MoreCredit>
      )}
    </FoldingPanel>
  );
}

function emptyText(owner: UsageOwner | undefined, hasSeat: boolean): string {
  switch (owner?.kind) {
    case 'other-seat':
      return (
        'Neither the seat nor its team has a pool, so it can use only free models. Move money to it on the ' +
        'page of the team.'
      );
    case 'own-seat':
      return (
        'Neither your seat nor its team has a pool, so it can use only free models. Ask the owner of the ' +
        'team.'
      );
    default:
      return hasSeat
        ? 'Your account has no pool, so keys billed to you can use only free models. The team pays for keys ' +
            'on your seat.'
        : 'Your account has no pool yet, so you can use only free models. If you get a seat in a team, ' +
            'the team pays.';
  }
}
