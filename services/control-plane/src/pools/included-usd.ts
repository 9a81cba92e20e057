import { parseUsd } from '@model-gateway/shared';

const NANO_PER_USD = 1_000_000_000n;
/** With this limit the sum of a thousand pools still fits 64 bits. */
export const MAX_INCLUDED_USD = 9_000_000n;

/**
 * @param usd a decimal string such as "5.00", with at most nine decimals
 * @returns nano-USD; undefined when no pool can include this
 */
export function parseIncludedUsd(usd: string): bigint | undefined {
  const included = parseUsd(usd);
  return included === undefined || included > MAX_INCLUDED_USD * NANO_PER_USD ? undefined : included;
}
