import type { Pool } from '../../../../wire/usage.ts';

/** When less than this share of the pools in use is left, it is time to ask for more. */
const SHORT_BELOW = 0.1;

/** The pools that have money, or will have money again. */
export function poolsInUse(pools: readonly Pool[]): Pool[] {
  return pools.filter(({ leftUsd, resetsAtMs }) => Number(leftUsd) > 0 || resetsAtMs !== null);
}

/**
 * Returns true if the money is nearly gone: less than a tenth is left, not counting pools used up for good.
 */
export function isBalanceLow(pools: readonly Pool[]): boolean {
  const inUse = poolsInUse(pools);
  const left = sum(inUse.map(({ leftUsd }) => leftUsd));
  return left <= 0 || left < SHORT_BELOW * sum(inUse.map(({ includedUsd }) => includedUsd));
}

function sum(usd: readonly string[]): number {
  return usd.reduce((total, each) => total + Number(each), 0);
}
