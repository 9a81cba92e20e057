import { parseUsd } from '@model-gateway/shared';
import { invalidArgument } from '../errors/control-plane-error.ts';

const NANO_PER_USD = 1_000_000_000n;
/** Keeps the sum of a thousand pools within 64 bits. */
export const MAX_INCLUDED_USD = 9_000_000n;

/** @param usd decimal string such as "5.00" @returns nano-USD; undefined when a pool cannot include it */
export function parseIncludedUsd(usd: string): bigint | undefined {
  const included = parseUsd(usd);
  return included === undefined || included > MAX_INCLUDED_USD * NANO_PER_USD ? undefined : included;
}

/** The amount that a pool includes, as in AddPoolRequest. */
export interface IncludedAmount {
  /** US dollars as a decimal string such as "5.00"; empty: unlimited. */
  includedUsd: string;
  unlimited: boolean;
}

/**
 * @returns nano-USD above 0; null: unlimited
 * @throws ControlPlaneError invalid_argument (no amount that a pool can include)
 */
export function parseIncluded({ includedUsd, unlimited }: IncludedAmount): bigint | null {
  if (unlimited && includedUsd === '') return null;
  if (unlimited) throw invalidArgument('a pool includes an amount or is unlimited: choose one');
  const included = parseIncludedUsd(includedUsd);
  if (included !== undefined && included > 0n) return included;
  throw invalidArgument(
    `a pool includes more than 0 and at most ${MAX_INCLUDED_USD} US dollars, with at most nine decimals`,
  );
}
