import type { Pool } from '../../../../wire/usage.ts';

/** The share of the pools in use below which the balance is low. */
const LOW_BELOW = 0.1;

/** Lists the pools that have a balance or will refill. */
export function listPoolsInUse(pools: readonly Pool[]): Pool[] {
  return pools.filter(({ leftUsd, resetsAtMs }) => Number(leftUsd) > 0 || resetsAtMs !== null);
}

/** Returns true if less than a tenth of the pools in use is left. */
export function isBalanceLow(pools: readonly Pool[]): boolean {
  const inUse = listPoolsInUse(pools);
  const left = sum(inUse.map(({ leftUsd }) => leftUsd));
  return left <= 0 || left < LOW_BELOW * sum(inUse.map(({ includedUsd }) => includedUsd));
}

function sum(usd: readonly string[]): number {
  return usd.reduce((total, each) => total + Number(each), 0);
}
