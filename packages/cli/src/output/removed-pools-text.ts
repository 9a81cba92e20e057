import type { RemovedPoolMessage } from '@model-gateway/contracts';
import { shortenUsd, usd } from './usd.ts';

interface RemovedPoolJson {
  id: string;
  /** The money that was left in the pool, and that was taken out. */
  taken_usd: string;
}

export function removedPoolsJson(pools: readonly RemovedPoolMessage[]): RemovedPoolJson[] {
  return pools.map(({ poolId, taken }) => ({ id: poolId, taken_usd: usd(taken) }));
}

/** Returns `["removed pool_1 (4.50 USD taken out)"]`, or nothing when there are no pools. */
export function removedPoolsText(pools: readonly RemovedPoolJson[]): string[] {
  if (pools.length === 0) return [];
  const texts = pools.map(({ id, taken_usd }) => `${id} (${shortenUsd(taken_usd)} USD taken out)`);
  return [`removed ${texts.join(', ')}`];
}
