import { Button, SimpleGrid, Text } from '@mantine/core';
import { useState } from 'react';
import type { Pool } from '../../../../wire/usage.ts';
import { FoldingPanel } from '../../components/folding-panel.tsx';
import { OperatorCommand } from '../../components/operator-command.tsx';
import { PoolCard } from '../../components/pool-card.tsx';
import { shellWord } from '../../format/shell-word.ts';
import { useSession } from '../../session/use-session.ts';
import { useKeys } from '../keys/use-keys.ts';
import { isBalanceLow, poolsInUse } from './is-balance-low.ts';
import type { UsageOwner } from './usage-owner.ts';

interface PoolsPanelProps {
  pools: readonly Pool[];
  owner: UsageOwner | undefined;
}

const SHOWN_AT_FIRST = 4;

/** Shows the money that requests are paid from, in the order in which it is used. */
export function PoolsPanel({ pools, owner }: PoolsPanelProps) {
  const hasSeat = (useKeys().data?.seats.length ?? 0) > 0;
  const email = useSession().data?.user?.email;
  const [isWhole, setWhole] = useState(false);
  const inUse = poolsInUse(pools);
  const shown = isWhole ? pools : (inUse.length > 0 ? inUse : pools).slice(0, SHOWN_AT_FIRST);
  return (
    <FoldingPanel
      name="pools"
      title="Pools"
      description="The pools of money that paid models draw on, in this order. Free models need none."
    >
      {pools.length === 0 ? (
        <Text size="sm" c="dimmed">
          {emptyText(owner, hasSeat)}
        </Text>
      ) : (
        <SimpleGrid cols={{ base: 1, sm: shown.length > 1 ? 2 : 1 }} spacing="md">
          {shown.map((pool) => (
            <PoolCard key={pool.id} pool={pool} />
          ))}
        </SimpleGrid>
      )}
      {(isWhole || shown.length < pools.length) && (
        <Button variant="subtle" size="xs" onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
          {isWhole ? 'Show fewer' : `Show all ${pools.length} pools, used up ones too`}
        </Button>
      )}
      {owner?.kind === 'account' && email !== undefined && isBalanceLow(pools) && (
        <OperatorCommand command={`pools add --account ${shellWord(email)} --usd 5.00 --resets monthly`}>
          {pools.length > 0 && 'There is little left. '}
          Only the operator of this gateway can add pools: send them this command with the amount that you
          need.
        </OperatorCommand>
      )}
    </FoldingPanel>
  );
}

function emptyText(owner: UsageOwner | undefined, hasSeat: boolean): string {
  switch (owner?.kind) {
    case 'other-seat':
      return (
        'Neither the seat nor its team has money, so only free models can be used on it. Move some on ' +
        'the page of the team.'
      );
    case 'own-seat':
      return (
        'Neither your seat nor its team has money, so only free models can be used on it. Ask the owner ' +
        'of the team.'
      );
    default:
      return hasSeat
        ? 'Your account has no money of its own, so only free models can be used with keys that are ' +
            'billed to you. A key on your seat is paid by its team.'
        : 'There is no pool yet, so only free models can be used. The owner of a team may give you a ' +
            'seat, and then its money pays.';
  }
}
