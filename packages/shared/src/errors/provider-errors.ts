import { GatewayError } from './gateway-error.ts';

/** What a caller is told who can do nothing about it. */
export const ONLY_THE_OPERATOR = 'Retrying does not help: its operator has to act.';

/** The provider refused the connection, reset it, or answered something that is no answer. */
export function badGateway(cause?: unknown): GatewayError {
  const message = 'The model provider failed to answer properly. Retry the request.';
  return new GatewayError('upstream_error', message, { cause });
}

/** A 4xx that the provider would answer again. */
export function providerRefused(cause: unknown): GatewayError {
  const message =
    'The model provider refused the request. Retrying it unchanged does not help; another model may.';
  return new GatewayError('upstream_error', message, { cause });
}

/** No caller can mend it, and no retry helps. */
export function providerRefusesGateway(cause: unknown): GatewayError {
  const message = `The model provider does not accept the credential of this gateway. ${ONLY_THE_OPERATOR}`;
  return new GatewayError('upstream_error', message, { headers: { 'x-should-retry': 'false' }, cause });
}

/**
 * The provider finds something wrong with the caller's request.
 * @param status as the provider has it: 400, 413 or 422
 * @param reason in the provider's words, without secrets of ours
 */
export function providerRejected(
  status: number,
  reason = 'The model provider rejected the request.',
  cause?: unknown,
): GatewayError {
  return new GatewayError('upstream_rejected', reason, { status, cause });
}

/** @param retryAfterSeconds as the provider has it; undefined: it does not say */
export function providerLimits(retryAfterSeconds: number | undefined, cause?: unknown): GatewayError {
  const message = 'The model provider is limiting requests at the moment. Retry later.';
  return new GatewayError('upstream_rate_limited', message, { retryAfterSeconds, cause });
}

export function providerTooSlow(cause?: unknown): GatewayError {
  const message = 'The model provider did not answer in time. Retry the request.';
  return new GatewayError('upstream_timeout', message, { cause });
}

/** The time for a connection is over. */
export function providerUnreachable(cause: unknown): GatewayError {
  const message = 'The model provider could not be reached in time. Retry the request.';
  return new GatewayError('upstream_timeout', message, { cause });
}

/** The provider was at work all the time. */
export function answerTakesTooLong(cause: unknown): GatewayError {
  const message =
    'The answer took longer than an answer of this model may take. Stream it, or ask for a shorter one.';
  return new GatewayError('upstream_timeout', message, { cause });
}
