import type { StoredAttempt } from './usage-store.ts';

/** Milliseconds from the start of a request's first attempt at a provider. */
export interface RequestTimings {
  /** To the end of the last attempt. */
  latencyMs: number;
  /** Undefined: not a stream, without a token, or from before this was kept. */
  timeToFirstTokenMs: number | undefined;
}

/** @param attempts which followed each other; only the last one can have passed a token on */
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
