import { GatewayError } from './gateway-error.ts';
import { invalidField } from './request-errors.ts';

/** Errors of requests with an `Idempotency-Key`, and of the cache of answers. */

export const IDEMPOTENCY_KEY = 'Idempotency-Key';
export const CACHE_HEADER = 'x-gateway-cache';

const MAX_RETRY_AFTER_S = 15;
const NEW_KEY = 'Send a new key to make another request.';

export function malformedIdempotencyKey(): GatewayError {
  return invalidField(IDEMPOTENCY_KEY, 'must be sent once, with 1 to 255 visible ASCII characters');
}

/** Without Redis, nothing can be remembered. */
export function idempotencyUnsupported(): GatewayError {
  return invalidField(
    IDEMPOTENCY_KEY,
    'this gateway runs without Redis and cannot remember keys, so a repeated request would run twice; leave ' +
      'the header out, or ask the operator to set REDIS_URL',
  );
}

/** A key promises that nothing runs twice, so it is never ignored. */
export function idempotencyUnavailable(cause?: unknown): GatewayError {
  const message =
    'The gateway cannot look up the Idempotency-Key at the moment. Retry in a second with the same key, or ' +
    'leave the header out.';
  return new GatewayError('overloaded', message, { cause });
}

export function idempotencyFull(): GatewayError {
  const message =
    'Your account has as many answers with an Idempotency-Key as the gateway stores in 24 hours. Leave the ' +
    'header out, or wait until earlier answers have expired.';
  return new GatewayError('rate_limit_exceeded', message, {
    headers: { 'x-should-retry': 'false' },
    retryAfterSeconds: null,
  });
}

/** @param runningMs how long the first request has been running: the next try waits as long, within bounds */
export function idempotencyInProgress(runningMs: number): GatewayError {
  const retryAfterSeconds = Math.min(MAX_RETRY_AFTER_S, Math.max(1, Math.ceil(runningMs / 1_000)));
  const message =
    'The first request with this Idempotency-Key is still running. ' +
    `Retry in ${retryAfterSeconds} s with the same key to get its answer.`;
  return new GatewayError('idempotency_in_progress', message, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

export function idempotencyMismatch(): GatewayError {
  const message =
    'This Idempotency-Key was used with another body. Repeat the first request unchanged to get its answer, ' +
    'or send a new key.';
  return new GatewayError('idempotency_mismatch', message, { param: IDEMPOTENCY_KEY });
}

/** Why the answer to a charged request cannot be sent again. */
export const SPENT_REASONS = {
  failed: 'failed after a part of its answer',
  too_long: 'had a longer answer than the gateway stores',
  not_stored: 'had an answer for which the gateway had no room',
} as const;

export type SpentReason = keyof typeof SPENT_REASONS;

/** @param requestId of the first request */
export function idempotencySpent(requestId: string, reason: SpentReason): GatewayError {
  const message =
    `The first request with this Idempotency-Key ${SPENT_REASONS[reason]}, and was charged once: see GET ` +
    `/v1/usage/requests/${requestId}. Its answer cannot be sent again. ${NEW_KEY}`;
  return new GatewayError('idempotency_spent', message, { headers: { 'x-should-retry': 'false' } });
}

export function cacheUnavailable(cause: unknown): GatewayError {
  const message = 'The cache does not respond at the moment, so nothing was purged. Retry in a second.';
  return new GatewayError('overloaded', message, { cause });
}
