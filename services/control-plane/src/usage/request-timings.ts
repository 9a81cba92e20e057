import type { StoredAttempt } from './usage-store.ts';

export interface RequestTimings {
  latencyMs: number;
  /** Undefined without a stream or a token, and for older records. */
  timeToFirstTokenMs: number | undefined;
}

/** @param attempts in order; only the last can have passed on a token */
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
