import type { RemovedPoolMessage } from '@model-gateway/contracts';
import { shortenUsd, usd } from './usd.ts';

interface RemovedPoolJson {
  id: string;
  taken_usd: string;
  /** Still reserved for running requests. */
  held_usd: string;
}

export function removedPoolsJson(pools: readonly RemovedPoolMessage[]): RemovedPoolJson[] {
  return pools.map(({ poolId, taken, held }) => ({
    id: poolId,
    taken_usd: usd(taken),
    held_usd: usd(held),
  }));
}

/** Returns `["removed pool_1 (4.50 USD taken out)"]`, or nothing when there are no pools. */
export function removedPoolsText(pools: readonly RemovedPoolJson[]): string[] {
  if (pools.length === 0) return [];
  const texts = pools.map(({ id, taken_usd, held_usd }) => {
    return `${id} (${shortenUsd(taken_usd)} USD taken out${heldText(held_usd)})`;
  });
  return [`removed ${texts.join(', ')}`];
}

/** Returns what follows the sum that was taken out of a pool; empty if requests hold nothing. */
export function heldText(heldUsd: string): string {
  if (!/[1-9]/.test(heldUsd)) return '';
  return (
    `; ${shortenUsd(heldUsd)} USD is still reserved for running requests, ` +
    'and what they do not use is taken out when they end'
  );
}
