import type { Pool } from '../../../../wire/usage.ts';

/** The share of the pools in use below which the balance is low. */
const LOW_BELOW = 0.1;

/** Lists the pools that have a balance, will refill or are unlimited. */
export function listPoolsInUse(pools: readonly Pool[]): Pool[] {
  return pools.filter(
    ({ leftUsd, resetsAtMs }) => leftUsd === null || Number(leftUsd) > 0 || resetsAtMs !== null,
  );
}

/** Returns true if less than a tenth of the pools in use is left, and none is unlimited. */
export function isBalanceLow(pools: readonly Pool[]): boolean {
  const inUse = listPoolsInUse(pools);
  if (inUse.some(({ leftUsd }) => leftUsd === null)) return false;
  const left = sum(inUse.map(({ leftUsd }) => leftUsd));
  return left <= 0 || left < LOW_BELOW * sum(inUse.map(({ includedUsd }) => includedUsd));
}

function sum(usd: readonly (string | null)[]): number {
  return usd.reduce((total, each) => total + Number(each), 0);
}
