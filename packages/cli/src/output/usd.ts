import { formatUsd } from '@model-gateway/shared';

/** Converts nano-USD from gRPC to dollars with nine decimals. */
export function usd(nanoUsd: string): string {
  return formatUsd(BigInt(nanoUsd));
}

/** Shortens an amount for people: it keeps the cents, and leaves out further zeros. */
export function shortenUsd(usdWithNineDecimals: string): string {
  return usdWithNineDecimals.replace(/(\.\d\d\d*?)0+$/, '$1');
}
