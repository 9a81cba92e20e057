const STALE_AFTER_MS = 15_000;

export interface StatusAge {
  /** By the server's clock. */
  readAtMs: number;
  /** By the browser's clock: when newer data last arrived; undefined: not yet. */
  newAtMs: number | undefined;
  nowMs: number;
}

/**
 * Returns true if the status is too old. Prefers the arrival of newer data, as the browser's clock may be
 * wrong.
 */
export function isStale({ readAtMs, newAtMs, nowMs }: StatusAge): boolean {
  if (newAtMs !== undefined) return nowMs - newAtMs > STALE_AFTER_MS;
  return nowMs - readAtMs > STALE_AFTER_MS;
}
