import { LIMIT_WINDOW_SECONDS } from '@model-gateway/shared';
import type { PolicyState, StreamState } from './limiter.ts';

/** The limits that applied to a request, as the limiter left them. */
export interface LimitState {
  policies: readonly PolicyState[];
  tokenPolicies: readonly PolicyState[];
  stream: StreamState | undefined;
}

interface HeaderTarget {
  setHeader(name: string, value: string): unknown;
}

/** Returns the headers that {@link setRateLimitHeaders} sets. */
export function rateLimitHeaders(state: LimitState): Record<string, string> {
  const headers: Record<string, string> = {};
  const setHeader = (name: string, value: string) => {
    headers[name] = value;
  };
  setRateLimitHeaders({ setHeader }, state);
  return headers;
}

/**
 * Sets the headers about limits (docs/wire-format.md, "Response headers"): the tightest limits of requests
 * and of tokens as OpenAI's clients know them, and every policy as in the IETF draft. One pass, because every
 * response has them.
 */
export function setRateLimitHeaders(
  res: HeaderTarget,
  { policies, stream, tokenPolicies }: LimitState,
): void {
  let tightest: PolicyState | undefined;
  let rules = '';
  let left = '';
  let comma = '';
  for (const policy of policies) {
    const { name, limit, remaining, resetMs } = policy;
    if (tightest === undefined || remaining < tightest.remaining) tightest = policy;
    rules += `${comma}"${name}";q=${limit};w=${LIMIT_WINDOW_SECONDS}`;
    left += `${comma}"${name}";r=${remaining};t=${Math.ceil(resetMs / 1_000)}`;
    comma = ', ';
  }
  let tightestOfTokens: PolicyState | undefined;
  for (const policy of tokenPolicies) {
    const { name, limit, remaining, resetMs } = policy;
    if (tightestOfTokens === undefined || remaining < tightestOfTokens.remaining) tightestOfTokens = policy;
    rules += `${comma}"${name}";q=${limit};w=${LIMIT_WINDOW_SECONDS};qu="tokens"`;
    left += `${comma}"${name}";r=${remaining};t=${Math.ceil(resetMs / 1_000)}`;
    comma = ', ';
  }
  if (stream !== undefined) {
    rules += `${comma}"streams";q=${stream.limit};qu="concurrent-requests"`;
    left += `${comma}"streams";r=${stream.remaining}`;
  }
  if (tightest !== undefined) setTightest(res, 'requests', tightest);
  if (tightestOfTokens !== undefined) setTightest(res, 'tokens', tightestOfTokens);
  if (rules !== '') {
    res.setHeader('ratelimit-policy', rules);
    res.setHeader('ratelimit', left);
  }
}

function setTightest(res: HeaderTarget, unit: 'requests' | 'tokens', state: PolicyState): void {
  res.setHeader(`x-ratelimit-limit-${unit}`, String(state.limit));
  res.setHeader(`x-ratelimit-remaining-${unit}`, String(state.remaining));
  res.setHeader(`x-ratelimit-reset-${unit}`, durationText(state.resetMs));
}

/** `850ms`, `12s`, `1m0s`; seconds are rounded up. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.ceil(milliseconds)}ms`;
  const seconds = Math.ceil(milliseconds / 1_000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
