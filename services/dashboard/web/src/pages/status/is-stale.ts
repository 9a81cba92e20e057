const STALE_AFTER_MS = 15_000;

export interface Reading {
  /** By the server's clock. */
  readAtMs: number;
  /** By ours: when an answer last was newer than the one before it; undefined: not yet. */
  newAtMs: number | undefined;
  nowMs: number;
}

/** A status that is older than it should be. A reader whose clock is wrong sees by newer answers that it is not. */
export function isStale({ readAtMs, newAtMs, nowMs }: Reading): boolean {
  if (newAtMs !== undefined) return nowMs - newAtMs > STALE_AFTER_MS;
  return nowMs - readAtMs > STALE_AFTER_MS;
}
