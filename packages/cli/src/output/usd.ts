import { formatUsd } from '@model-gateway/shared';

/** Nano-USD as they come over gRPC → dollars with nine decimals. */
export function usd(nanoUsd: string): string {
  return formatUsd(BigInt(nanoUsd));
}

/** For people: without the zeros that say nothing, but with cents. */
export function shortUsd(usdWithNineDecimals: string): string {
  return usdWithNineDecimals.replace(/(\.\d\d\d*?)0+$/, '$1');
}
