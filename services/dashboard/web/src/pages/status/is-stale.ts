const STALE_AFTER_MS = 15_000;

export interface Reading {
  /** By the server's clock. */
  readAtMs: number;
  /** By the browser's clock: when an answer last was newer than the previous one; undefined: not yet. */
  newAtMs: number | undefined;
  nowMs: number;
}

/** Returns true if a status is too old. If the reader's clock is wrong, newer answers show that it is not. */
export function isStale({ readAtMs, newAtMs, nowMs }: Reading): boolean {
  if (newAtMs !== undefined) return nowMs - newAtMs > STALE_AFTER_MS;
  return nowMs - readAtMs > STALE_AFTER_MS;
}
