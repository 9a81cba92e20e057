import { parseUsd } from '@model-gateway/shared';

const NANO_PER_USD = 1_000_000_000n;
/** Keeps the sum of a thousand pools within 64 bits. */
export const MAX_INCLUDED_USD = 9_000_000n;

/** @param usd decimal string such as "5.00" @returns nano-USD; undefined when a pool cannot include it */
export function parseIncludedUsd(usd: string): bigint | undefined {
  const included = parseUsd(usd);
  return included === undefined || included > MAX_INCLUDED_USD * NANO_PER_USD ? undefined : included;
}
