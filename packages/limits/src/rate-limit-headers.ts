import { LIMIT_WINDOW_SECONDS } from '@model-gateway/shared';
import type { PolicyState, StreamState } from './limiter.ts';

/** What limited an answer, as a limiter left it. */
export interface LimitState {
  policies: readonly PolicyState[];
  stream: StreamState | undefined;
}

/**
 * The headers of a limited answer (wire format, "Headers"): the limit with the least remaining in the words OpenAI's
 * clients know, and every policy in those of the IETF draft.
 */
export function rateLimitHeaders({ policies, stream }: LimitState): Record<string, string> {
  const headers: Record<string, string> = {};
  const tightest = [...policies].sort((left, right) => left.remaining - right.remaining)[0];
  if (tightest !== undefined) {
    headers['x-ratelimit-limit-requests'] = String(tightest.limit);
    headers['x-ratelimit-remaining-requests'] = String(tightest.remaining);
    headers['x-ratelimit-reset-requests'] = durationText(tightest.resetMs);
  }
  const rules = policies.map(({ name, limit }) => `"${name}";q=${limit};w=${LIMIT_WINDOW_SECONDS}`);
  const left = policies.map(
    ({ name, remaining, resetMs }) => `"${name}";r=${remaining};t=${Math.ceil(resetMs / 1_000)}`,
  );
  if (stream !== undefined) {
    rules.push(`"streams";q=${stream.limit};qu="concurrent-requests"`);
    left.push(`"streams";r=${stream.remaining}`);
  }
  if (rules.length > 0) {
    headers['ratelimit-policy'] = rules.join(', ');
    headers.ratelimit = left.join(', ');
  }
  return headers;
}

/** `850ms`, `12s`, `1m0s`; seconds are rounded up. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.ceil(milliseconds)}ms`;
  const seconds = Math.ceil(milliseconds / 1_000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
