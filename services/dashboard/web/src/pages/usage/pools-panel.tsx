import { SimpleGrid, Text } from '@mantine/core';
import type { Pool } from '../../../../wire/usage.ts';
import { Panel } from '../../components/panel.tsx';
import { PoolCard } from '../../components/pool-card.tsx';
import { useKeys } from '../keys/use-keys.ts';
import type { UsageOwner } from './usage-owner.ts';

interface PoolsPanelProps {
  pools: readonly Pool[];
  owner: UsageOwner | undefined;
}

/** The money that requests are paid from, in the order in which it is used. */
export function PoolsPanel({ pools, owner }: PoolsPanelProps) {
  const hasSeat = (useKeys().data?.seats.length ?? 0) > 0;
  return (
    <Panel title="Pools" description="The money that paid models draw on. Free models need none.">
      {pools.length === 0 ? (
        <Text size="sm" c="dimmed">
          {emptyText(owner, hasSeat)}
        </Text>
      ) : (
        <SimpleGrid cols={{ base: 1, sm: pools.length > 1 ? 2 : 1 }} spacing="md">
          {pools.map((pool) => (
            <PoolCard key={pool.id} pool={pool} />
          ))}
        </SimpleGrid>
      )}
    </Panel>
  );
}

function emptyText(owner: UsageOwner | undefined, hasSeat: boolean): string {
  switch (owner?.kind) {
    case 'other-seat':
      return 'Neither the seat nor its team has money, so only free models can be used on it. Move some on the page of the team.';
    case 'own-seat':
      return 'Neither your seat nor its team has money, so only free models can be used on it. Ask the owner of the team.';
    default:
      return hasSeat
        ? 'Your account has no money of its own, so only free models can be used with keys that are billed to you. Ask your operator for credit, or use a key on your seat: its team pays.'
        : 'There is no pool yet, so only free models can be used. Ask your operator for credit, or the owner of a team for a seat.';
  }
}
