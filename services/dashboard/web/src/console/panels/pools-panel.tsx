import { Button, Group, SimpleGrid, Stack } from '@mantine/core';
import { useState } from 'react';
import type { Pool } from '../../../../wire/management.ts';
import type { Pool as ShownPool } from '../../../../wire/usage.ts';
import { changeManagement } from '../../api/management.ts';
import { useAction } from '../../api/use-action.ts';
import { refreshManagement, useManagementList } from '../../api/use-management.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ResultAlert } from '../../components/focused-alert.tsx';
import { Hint } from '../../components/hint.tsx';
import { Panel } from '../../components/panel.tsx';
import { PoolCard } from '../../components/pool-card.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RemovalButton } from '../../components/removal-button.tsx';
import { useMayChange } from '../../session/use-may-change.ts';
import { ChangePoolDialog, GiveCreditDialog, type PoolOwner } from './pool-dialogs.tsx';

interface PoolsPanelProps {
  owner: PoolOwner;
  /** Shown without a pool. */
  none: string;
}

/** Shows and changes the pools of an account with those of its teams and seats, or of one team or seat. */
export function PoolsPanel({ owner, none }: PoolsPanelProps) {
  const pools = useManagementList('listPools', { query: { ...owner, limit: 100 } }, { refetchMs: 10_000 });
  const mayChange = useMayChange();
  const [isGiving, setGiving] = useState(false);
  const [toChange, setToChange] = useState<Pool>();
  const [toRemove, setToRemove] = useState<Pool | null>(null);
  const [done, setDone] = useState<string>();
  const remove = useAction(async ({ id, name }: Pool) => {
    const { body } = await changeManagement('removePool', { path: { id } });
    await refreshManagement();
    setToRemove(null);
    setDone(`“${name}” is removed. $${body.taken_usd} was left in it.`);
  });
  const finish = (text: string) => {
    setGiving(false);
    setToChange(undefined);
    setDone(text);
  };
  const listed = pools.data?.pages.flatMap(({ data }) => data);
  return (
    <Panel
      title="Pools"
      description="Money that requests are paid from."
      actions={
        mayChange && (
          <Button size="xs" variant="default" onClick={() => setGiving(true)}>
            Add pool
          </Button>
        )
      }
    >
      {done !== undefined && <ResultAlert isCertain>{done}</ResultAlert>}
      <QueryState query={pools} loading="Reading the pools" />
      {listed?.length === 0 && <Hint>{none}</Hint>}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        {listed?.map((pool) => (
          <Stack key={pool.id} gap={4}>
            <PoolCard pool={shownPool(pool)} />
            {mayChange && (
              <Group justify="flex-end" gap="xs">
                <Button
                  size="xs"
                  variant="subtle"
                  aria-label={`Change ${pool.name}`}
                  onClick={() => setToChange(pool)}
                >
                  Change
                </Button>
                <RemovalButton label={`Remove ${pool.name}`} onClick={() => setToRemove(pool)}>
                  Remove
                </RemovalButton>
              </Group>
            )}
          </Stack>
        ))}
      </SimpleGrid>
      {pools.hasNextPage && (
        <Button
          variant="default"
          loading={pools.isFetchingNextPage}
          onClick={() => void pools.fetchNextPage()}
        >
          Show more
        </Button>
      )}
      {isGiving && <GiveCreditDialog owner={owner} onClose={() => setGiving(false)} onDone={finish} />}
      {toChange !== undefined && (
        <ChangePoolDialog pool={toChange} onClose={() => setToChange(undefined)} onDone={finish} />
      )}
      <ConfirmDialog
        subject={toRemove}
        title="Remove this pool?"
        confirmLabel="Remove pool"
        action={remove}
        onClose={() => setToRemove(null)}
      >
        {({ name }) => `What is left in “${name}” is taken away, with an entry in the ledger. This is final.`}
      </ConfirmDialog>
    </Panel>
  );
}

/** Converts a pool to the form of the pages of holders. */
function shownPool(pool: Pool): ShownPool {
  const left =
    pool.remaining_usd === null ? null : (Number(pool.remaining_usd) + Number(pool.held_usd)).toFixed(9);
  return {
    id: pool.id,
    name: pool.name,
    scope: pool.owner.kind,
    ownerId: pool.owner.id,
    includedUsd: pool.usd,
    usedUsd: pool.used_usd,
    leftUsd: left,
    heldUsd: pool.held_usd,
    remainingUsd: pool.remaining_usd,
    resetsAtMs: msOf(pool.resets_at),
    expiresAtMs: msOf(pool.expires_at),
  };
}

function msOf(time: string | null): number | null {
  return time === null ? null : Date.parse(time);
}
