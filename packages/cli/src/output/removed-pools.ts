import type { RemovedPoolMessage } from '@model-gateway/contracts';
import { shortUsd, usd } from './usd.ts';

/** What became of the pools of somebody who is gone. */
export interface RemovedPoolJson {
  id: string;
  /** What was left and has been taken out. */
  taken_usd: string;
}

export function removedPoolsJson(pools: readonly RemovedPoolMessage[]): RemovedPoolJson[] {
  return pools.map(({ poolId, taken }) => ({ id: poolId, taken_usd: usd(taken) }));
}

/** For people: `pool_1 (4.50 USD taken out)`. */
export function removedPoolsText(pools: readonly RemovedPoolJson[]): string {
  return pools.map(({ id, taken_usd }) => `${id} (${shortUsd(taken_usd)} USD taken out)`).join(', ');
}
