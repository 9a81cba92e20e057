import type { PoolMessage } from '@model-gateway/contracts';
import { parseUsd } from '@model-gateway/shared';
import { CommandFailure } from '../command-failure.ts';
import { usd } from '../output/usd.ts';
import { CALL_DEADLINE_MS } from '../run-command.ts';
import { type ApplyRun, applyChange, applyDifferences, compareField, findNamed } from './apply-run.ts';
import type { WantedPool } from './gateway-file.ts';

/** @param id undefined in a plan that creates the owner @param ownerName such as `ada@example.com` */
export async function applyPools(
  run: ApplyRun,
  { id, kind, name: ownerName }: { kind: 'account' | 'team' | 'seat'; id: string | undefined; name: string },
  wanted: readonly WantedPool[] | undefined,
): Promise<void> {
  if (wanted === undefined) return;
  const nameOf = (name: string) => `pool ${name} of ${ownerName}`;
  const owner = { kind, id: id ?? '' };
  const { pools } =
    id === undefined
      ? { pools: [] }
      : await run.client.call(CALL_DEADLINE_MS, 'pools', 'listPools', { owner });
  for (const one of wanted) {
    const pool = findNamed(pools, one.name, nameOf(one.name));
    if (pool === undefined) {
      const { expires_at, name, resets, unlimited = false, usd: includedUsd = '' } = one;
      const expiresAtMs = expires_at === null ? {} : { expiresAtMs: Date.parse(expires_at) };
      const request = { owner, name, includedUsd, unlimited, resets, ...expiresAtMs };
      await applyChange(run, { action: 'create', object: nameOf(name) }, () =>
        run.client.callOnce(CALL_DEADLINE_MS, 'pools', 'addPool', request),
      );
    } else await applyPool(run, nameOf(one.name), pool, one);
  }
  if (!run.prunes) return;
  for (const { id: poolId, name } of pools.filter((pool) => !wanted.some((one) => one.name === pool.name))) {
    await applyChange(run, { action: 'remove', object: nameOf(name) }, () =>
      run.client.call(CALL_DEADLINE_MS, 'pools', 'removePool', { poolId }),
    );
  }
}

async function applyPool(
  run: ApplyRun,
  object: string,
  pool: PoolMessage,
  wanted: WantedPool,
): Promise<void> {
  const fixed = [
    ...compareField('resets', pool.resetsAt === undefined ? 'never' : 'monthly', wanted.resets),
    ...compareField('expires_at', secondsOf(pool.expiresAt), secondsOfTime(wanted.expires_at)),
  ];
  if (fixed.length > 0) {
    const fields = fixed.map(({ field }) => field).join(' and ');
    throw new CommandFailure([
      `${object}: ${fields} of a pool cannot be changed: give it another name in the file, or remove it`,
    ]);
  }
  const { unlimited = false, usd: includedUsd = '' } = wanted;
  const isSame =
    pool.unlimited === unlimited && (unlimited || BigInt(pool.included) === parseUsd(includedUsd));
  const differences = isSame
    ? []
    : [
        {
          field: 'usd',
          from: pool.unlimited ? 'unlimited' : usd(pool.included),
          to: unlimited ? 'unlimited' : includedUsd,
        },
      ];
  await applyDifferences(run, object, differences, () =>
    run.client.call(CALL_DEADLINE_MS, 'pools', 'changePool', { poolId: pool.id, includedUsd, unlimited }),
  );
}

function secondsOf(seconds: string | undefined): number | null {
  return seconds === undefined ? null : Number(seconds);
}

function secondsOfTime(time: string | null): number | null {
  return time === null ? null : Math.floor(Date.parse(time) / 1_000);
}
