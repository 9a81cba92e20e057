import { GatewayError, type Verdict } from '@model-gateway/shared';
import {
  answerTakesTooLong,
  asProviderSaid,
  badGateway,
  contextTooLong,
  providerLimits,
  providerRefused,
  providerRefusesGateway,
  providerRejected,
  providerTooSlow,
  providerUnreachable,
} from '@model-gateway/shared/errors';
import { readErrorMessage } from './read-error-words.ts';
import { isAccessRefused, verdictOnRejection } from './refusal-texts.ts';
import { VERDICTS } from './verdicts.ts';

/** These may be answered otherwise a moment later; every other 4xx says the same again. */
const MOMENTARY = new Set([408, 409, 425]);

/** Statuses about the caller's request (docs/errors.md, "Error codes"). */
const REJECTIONS = new Set([400, 413, 422]);
const MAX_MESSAGE_LENGTH = 500;
const MAX_RETRY_AFTER_SECONDS = 86_400;

/** The caller and the credential of an attempt. */
export interface UsedCredential {
  providerId: string;
  /** Name of the environment variable; undefined: no credential was sent, but one that was fetched. */
  credentialEnv: string | undefined;
  /** Where a credential was fetched. */
  source?: string | undefined;
}

export interface FailedResponse {
  status: number;
  retryAfter: string | undefined;
  /** At most the first few kilobytes. */
  bodyText: string;
  /** The body without the gateway's secrets, where the caller gets it unchanged. */
  bodyForCaller: string | undefined;
  /** True if the body says that the gateway itself is refused; left out: only the status says it. */
  isAccessRefused?: boolean;
  /** How long the body says to wait. */
  retryAfterSeconds?: number;
}

/**
 * Returns the error that a caller gets for a provider's response that is no success.
 * @param usedCredential for the operator's log
 * @param redact removes our own secrets from text
 */
export function errorForResponse(
  response: FailedResponse,
  usedCredential: UsedCredential,
  redact: (text: string) => string,
): GatewayError {
  const error = errorOf(response, usedCredential, redact);
  const { bodyForCaller, retryAfter, status } = response;
  if (bodyForCaller === undefined) return error;
  const wait = retryAfterSeconds(retryAfter);
  return asProviderSaid(error, { status, body: bodyForCaller, retryAfterSeconds: wait });
}

function errorOf(
  response: FailedResponse,
  usedCredential: UsedCredential,
  redact: (text: string) => string,
): GatewayError {
  const { bodyText, bodyForCaller, retryAfter, status } = response;
  if (response.isAccessRefused === true || isAccessRefused(status, bodyText))
    return accessRefused(status, usedCredential);
  const cause = new Error(`the provider answered ${status}`);
  if (status === 429) {
    const waitSeconds = retryAfter ?? response.retryAfterSeconds?.toString();
    return providerLimits(retryAfterSeconds(waitSeconds), cause);
  }
  if (REJECTIONS.has(status)) {
    const reason = readErrorMessage(bodyText);
    return rejected(status, reason && redact(reason).slice(0, MAX_MESSAGE_LENGTH), { cause, bodyForCaller });
  }
  const isFinal = status >= 400 && status < 500 && !MOMENTARY.has(status);
  const error = isFinal ? providerRefused(cause) : badGateway(cause);
  return isProviderFault(status) ? error : judged(error, VERDICTS.caused_by_request);
}

/** A 4xx may be about what was asked. */
function isProviderFault(status: number): boolean {
  return status >= 500 || status < 300;
}

/**
 * Returns the error for a rejected request.
 * @param reason in the provider's words, without the gateway's secrets
 */
export function rejected(
  status: number,
  reason: string | undefined,
  { cause, bodyForCaller = '' }: { cause?: Error; bodyForCaller?: string | undefined } = {},
): GatewayError {
  const verdict = verdictOnRejection(status, `${reason ?? ''} ${bodyForCaller}`);
  const isTooLong = verdict === VERDICTS.context_too_long;
  return judged(isTooLong ? contextTooLong(reason, cause) : providerRejected(status, reason, cause), verdict);
}

/** Returns the error for a refused credential. Its cause is for the operator's log: it names the variable. */
export function accessRefused(status: number, usedCredential: UsedCredential): GatewayError {
  const { providerId } = usedCredential;
  const said = `the provider ${providerId} answered ${status} to a request ${credentialPhrase(usedCredential)}`;
  return judged(providerRefusesGateway(new Error(said)), verdictOnRefusal(status));
}

function verdictOnRefusal(status: number): Verdict {
  if (status === 401) return VERDICTS.credential_refused;
  return status === 403 ? VERDICTS.credential_refused_for_model : VERDICTS.credential_refused_in_body;
}

function credentialPhrase({ credentialEnv, source }: UsedCredential): string {
  if (credentialEnv !== undefined) return `with the credential of ${credentialEnv}`;
  return source === undefined ? 'without a credential' : `with ${source}`;
}

/** Returns the error for a fetched credential that is not accepted any more: a new one may be. */
export function credentialExpired(status: number): GatewayError {
  const cause = new Error(`the provider answered ${status}`);
  return judged(providerRefusesGateway(cause), VERDICTS.credential_expired);
}

/** Returns the error for a credential that could not be fetched: the provider was asked nothing. */
export function credentialNotFetched(cause: unknown): GatewayError {
  const said = new Error('a credential for the provider could not be fetched', { cause });
  return judged(badGateway(said), VERDICTS.credential_not_fetched);
}

/** Returns the error for a failure that a caller can bring about alone. @param said for the log */
export function causedByRequest(said: string, cause?: unknown): GatewayError {
  return judged(badGateway(new Error(said, { cause })), VERDICTS.caused_by_request);
}

/**
 * Returns the error for valid JSON that is no answer: some providers reject something in a request that way.
 */
export function unexpectedJson(cause: unknown): GatewayError {
  return causedByRequest('the provider answered JSON that is no answer', cause);
}

/** Returns the error of a provider that does not count the prompts of this model, or not for this gateway. */
export function notCounted(status: number): GatewayError {
  const cause = new Error(`the provider answered ${status}: it does not count for this`);
  return judged(providerRefused(cause), VERDICTS.not_counted);
}

export function isNotCounted(failure: unknown): boolean {
  return failure instanceof GatewayError && failure.verdict === VERDICTS.not_counted;
}

/**
 * Returns the error of a provider that says within a response with status 200 what a 429 says.
 * @param waitSeconds how long it says to wait
 */
export function rateLimitedInStream(said: string, waitSeconds?: number): GatewayError {
  return providerLimits(retryAfterSeconds(waitSeconds?.toString()), new Error(said));
}

export function upstreamTimeout(what: string, milliseconds: number): GatewayError {
  return providerTooSlow(new Error(`${what} took longer than ${milliseconds} ms`));
}

export function responseTooLong(milliseconds: number): GatewayError {
  const said = `the answer had begun, and took longer than ${milliseconds} ms in all`;
  return judged(answerTakesTooLong(new Error(said)), VERDICTS.answer_too_long);
}

export interface FailedConnection {
  /** True if the provider had sent the head of its response. */
  hasResponded: boolean;
  /** True if the request may be why: it arrived slowly, or is large. */
  mayBeRequest: boolean;
}

/** Returns the error for whatever undici threw before or while the provider responded. */
export function connectionFailure(
  thrown: unknown,
  { hasResponded, mayBeRequest }: FailedConnection,
): GatewayError {
  if (mayBeRequest) {
    const error = causedByRequest('the connection broke', thrown);
    return hasResponded ? error : judged(error, VERDICTS.connection_failed_slow_request);
  }
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return providerUnreachable(thrown);
  return hasResponded ? badGateway(thrown) : judged(badGateway(thrown), VERDICTS.connection_failed);
}

function judged(error: GatewayError, verdict: Verdict): GatewayError {
  error.verdict = verdict;
  return error;
}

/** Whole seconds of a Retry-After header, which holds seconds or a date; at most a day. */
function retryAfterSeconds(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return seconds >= 0 ? Math.min(Math.ceil(seconds), MAX_RETRY_AFTER_SECONDS) : undefined;
}
