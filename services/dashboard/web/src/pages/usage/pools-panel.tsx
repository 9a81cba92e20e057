import { SimpleGrid, Text } from '@mantine/core';
import type { Pool } from '../../../../wire/usage.ts';
import { Panel } from '../../components/panel.tsx';
import { PoolCard } from '../../components/pool-card.tsx';

/** The money that requests are paid from, in the order in which it is used. */
export function PoolsPanel({ pools }: { pools: readonly Pool[] }) {
  return (
    <Panel title="Pools" description="The money that paid models draw on. Free models need none.">
      {pools.length === 0 ? (
        <Text size="sm" c="dimmed">
          There is no pool yet, so only free models can be used. Ask your operator for credit, or be seated in
          a team.
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
