import type { RemovedPoolMessage } from '@model-gateway/contracts';
import { shortUsd, usd } from './usd.ts';

/** The end of a pool of a deleted account or team. */
export interface RemovedPoolJson {
  id: string;
  /** The money that was left in the pool and has been taken out. */
  taken_usd: string;
}

export function removedPoolsJson(pools: readonly RemovedPoolMessage[]): RemovedPoolJson[] {
  return pools.map(({ poolId, taken }) => ({ id: poolId, taken_usd: usd(taken) }));
}

/** Returns the text for people: `pool_1 (4.50 USD taken out)`. */
export function removedPoolsText(pools: readonly RemovedPoolJson[]): string {
  return pools.map(({ id, taken_usd }) => `${id} (${shortUsd(taken_usd)} USD taken out)`).join(', ');
}
