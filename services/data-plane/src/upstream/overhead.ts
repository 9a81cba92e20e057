import type { Exchange } from '../request-record.ts';

export const OVERHEAD_HEADER = 'x-gateway-overhead-ms';

/** Milliseconds spent in the gateway so far, the waits for providers excluded. */
export function overheadMs({ record }: Exchange): string {
  const now = performance.now();
  let waitedMs = 0;
  for (const { startedAtMs, firstByteAtMs, endedAtMs } of record.attempts) {
    waitedMs += (firstByteAtMs ?? endedAtMs ?? now) - startedAtMs;
  }
  return Math.max(0, now - record.startedAtMs - waitedMs).toFixed(2);
}
