import type { Exchange } from '../http/exchange.ts';
import type { RequestRecord } from '../request-record.ts';

export const OVERHEAD_HEADER = 'x-gateway-overhead-ms';

/** Formats the milliseconds spent in the gateway so far, without the waits for providers. */
export function overheadMs({ record }: Exchange): string {
  return overheadUntil(record, performance.now()).toFixed(2);
}

/** Returns the milliseconds spent in the gateway until `atMs` of `performance.now()`. */
export function overheadUntil(
  { attempts, startedAtMs }: Pick<RequestRecord, 'attempts' | 'startedAtMs'>,
  atMs: number,
): number {
  let waitedMs = 0;
  for (const attempt of attempts) {
    waitedMs += (attempt.firstByteAtMs ?? attempt.endedAtMs ?? atMs) - attempt.startedAtMs;
  }
  return Math.max(0, atMs - startedAtMs - waitedMs);
}
