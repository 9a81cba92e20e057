const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits after failed attempts (Standard Webhooks, "Retry schedule"): about three days together. */
export const RETRY_WAITS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
const MIN_WAIT_MS = 5 * SECOND;
const MAX_WAIT_MS = 24 * HOUR;
/** Each wait is up to this part longer, so that the events of an outage do not come back all at once. */
const JITTER = 0.2;

/**
 * Returns the wait before the next attempt.
 * @param tries failed attempts before the one that just failed
 * @param retryAfterMs wait that the receiver asks for; undefined: none
 * @returns null: no attempt follows
 */
export function retryWaitMs(
  tries: number,
  retryAfterMs?: number,
  random: () => number = Math.random,
): number | null {
  const wait = RETRY_WAITS_MS[tries];
  if (wait === undefined) return null;
  const requested = retryAfterMs ?? wait;
  return Math.min(Math.max(requested, MIN_WAIT_MS) * (1 + JITTER * random()), MAX_WAIT_MS);
}

/** Reads `Retry-After`: seconds, or a date. @returns undefined if it is neither */
export function parseRetryAfterMs(header: string | undefined, nowMs = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * SECOND : Date.parse(header) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
