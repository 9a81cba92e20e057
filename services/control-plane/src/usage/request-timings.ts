import type { StoredAttempt } from './usage-store.ts';

/** Milliseconds from the start of a request's first attempt at a provider. */
export interface RequestTimings {
  /** Up to the end of the last attempt. */
  latencyMs: number;
  /** Undefined when the answer was no stream, had no token, or is older than this column. */
  timeToFirstTokenMs: number | undefined;
}

/** @param attempts in their order; only the last one can have passed a token on */
export function requestTimings(
  attempts: readonly Pick<StoredAttempt, 'durationMs' | 'timeToFirstTokenMs'>[],
): RequestTimings {
  const latencyMs = attempts.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const last = attempts.at(-1);
  const firstToken = last?.timeToFirstTokenMs ?? undefined;
  return {
    latencyMs,
    timeToFirstTokenMs:
      last === undefined || firstToken === undefined ? undefined : latencyMs - last.durationMs + firstToken,
  };
}
