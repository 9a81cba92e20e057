import { GatewayError } from './gateway-error.ts';
import type { ProviderReport } from './provider-report.ts';
import type { PublicErrorOptions } from './public-error.ts';

/** Describes a 401 to callers. The provider's words about the credential are for the operator. */
export const REFUSES_CREDENTIAL = 'does not accept the credential of this gateway';

/** Stops the retries of OpenAI's and Anthropic's clients. */
const NO_RETRY = { 'x-should-retry': 'false' };

/** The advice for an error that the caller cannot fix. Follows a sentence about the gateway. */
export const ONLY_THE_OPERATOR = 'Retrying does not help: its operator has to act.';

/**
 * The error when the provider refused the connection, reset it, or sent an answer that cannot be understood.
 * @param report of what it did instead; left out: unknown
 */
export function badGateway(cause?: unknown, report?: ProviderReport): GatewayError {
  return reported(new GatewayError('upstream_error', retryMessage(report), { cause }), report);
}

/**
 * The error when a provider cannot be reached for a reason that seldom passes by itself.
 * @param toCheck what the operator must check
 */
export function providerNotReached(cause: unknown, report: ProviderReport, toCheck: string): GatewayError {
  const message =
    `The model provider ${report.caller}. Retrying seldom helps: ` +
    `the gateway's operator must check the provider's ${toCheck}.`;
  return reported(new GatewayError('upstream_error', message, { cause }), report);
}

function retryMessage(report: ProviderReport | undefined): string {
  return `The model provider ${report?.caller ?? 'failed to answer properly'}. Retry the request.`;
}

function reported(error: GatewayError, report: ProviderReport | undefined): GatewayError {
  error.report = report;
  return error;
}

/**
 * The error when the model itself gave up or broke its response, which another try may not.
 * @param reason the provider's word, such as a finish reason, and its explanation
 */
export function modelGaveUp(reason: string, cause?: unknown): GatewayError {
  const message = `The model did not finish its response: ${reason}. Retry, reword the request, or try another model.`;
  return new GatewayError('upstream_error', message, { cause });
}

/** The error for a 4xx of the provider that would be the same at a retry. */
export function providerRefused(cause: unknown, report?: ProviderReport): GatewayError {
  const what = report?.caller ?? 'refused the request';
  const message = `The model provider ${what}. Retrying the request unchanged does not help; another model may.`;
  return reported(new GatewayError('upstream_error', message, { headers: NO_RETRY, cause }), report);
}

export function providerRefusesGateway(cause: unknown): GatewayError {
  const message = `The model provider ${REFUSES_CREDENTIAL}. ${ONLY_THE_OPERATOR}`;
  return new GatewayError('upstream_error', message, { headers: NO_RETRY, cause });
}

/**
 * The error when the provider refuses the caller's request.
 * @param status the provider's status: 400, 413 or 422
 * @param reason in the provider's words, without the gateway's secrets
 */
export function providerRejected(
  status: number,
  reason = 'The model provider rejected the request.',
  cause?: unknown,
): GatewayError {
  return new GatewayError('upstream_rejected', reason, { status, cause });
}

/**
 * The error when the provider says that the conversation is longer than its model can read.
 * @param reason as for `providerRejected`
 */
export function contextTooLong(
  reason = 'The conversation is longer than the model can read. Shorten it.',
  cause?: unknown,
): GatewayError {
  return new GatewayError('context_length_exceeded', reason, { cause });
}

/** @param retryAfterSeconds the provider's value; undefined when it gave none */
export function providerLimits(retryAfterSeconds: number | undefined, cause?: unknown): GatewayError {
  const message = 'The model provider is limiting requests at the moment. Retry later.';
  return new GatewayError('upstream_rate_limited', message, { retryAfterSeconds, cause });
}

export function providerTooSlow(cause?: unknown): GatewayError {
  const message = 'The model provider did not answer in time. Retry the request.';
  return new GatewayError('upstream_timeout', message, { cause });
}

/** The error when no connection was made in time. */
export function providerUnreachable(cause: unknown): GatewayError {
  const message = 'The model provider could not be reached in time. Retry the request.';
  return new GatewayError('upstream_timeout', message, { cause });
}

/** The error when the proxy in front of all providers failed. @param timedOut it did not answer in time */
export function proxyUnreachable(cause: unknown, timedOut: boolean): GatewayError {
  const message = "The gateway's proxy to the model provider could not be reached. Retry the request.";
  return new GatewayError(timedOut ? 'upstream_timeout' : 'upstream_error', message, { cause });
}

export function answerTakesTooLong(cause: unknown): GatewayError {
  const message =
    'The answer took longer than the time limit of this model. Stream it, or ask for a shorter one.';
  return new GatewayError('upstream_timeout', message, { cause });
}

/** A provider's error response, for callers of the provider's own API. */
export interface ProvidersWords {
  status: number;
  /** The body, without the gateway's secrets. */
  body: string;
  /** Its `retry-after` in seconds, if it sent one. */
  retryAfterSeconds?: number | undefined;
}

/**
 * Returns the error with the provider's own body, for callers of the same API: its clients decide by this
 * body whether to retry.
 */
export function asProviderSaid(error: GatewayError, said: ProvidersWords): GatewayError {
  const { body, retryAfterSeconds, status } = said;
  const retry = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return changed(error, { status, headers: retry, providersBody: body });
}

/** Returns a 502 that says what the provider reported in its response. */
export function asProviderReported(error: GatewayError, report: ProviderReport): GatewayError {
  return reported(changed(error, {}, retryMessage(report)), report);
}

/** Returns the error with another `retry-after`, where the gateway knows more than the provider. */
export function withRetryAfter(error: GatewayError, seconds: number): GatewayError {
  return changed(error, { headers: { 'retry-after': String(seconds) } });
}

/** Returns a changed copy with the same code, verdict and report. @param message default: the same */
export function changed(
  error: GatewayError,
  changes: PublicErrorOptions,
  message = error.message,
): GatewayError {
  const { cause, code, details, headers, param, providersBody, report, status, verdict } = error;
  const same = { cause, details, param: param ?? undefined, providersBody, status };
  const options = { ...same, ...changes, headers: { ...headers, ...changes.headers } };
  const copy = new GatewayError(code, message, options);
  copy.verdict = verdict;
  return reported(copy, report);
}
