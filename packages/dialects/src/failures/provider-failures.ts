import { GatewayError, type Verdict } from '@model-gateway/shared';
import {
  answerTakesTooLong,
  asProviderSaid,
  badGateway,
  contextTooLong,
  modelGaveUp,
  providerLimits,
  providerRefused,
  providerRefusesGateway,
  providerRejected,
  providerTooSlow,
  REFUSES_CREDENTIAL,
} from '@model-gateway/shared/errors';
import { reportStatus } from './provider-report.ts';
import { cutText, MAX_WORDS } from './provider-words.ts';
import { readErrorMessage } from './read-error-message.ts';
import { isAccessRefused, isModelMissing, verdictOnRejection } from './refusal-texts.ts';
import { VERDICTS } from './verdicts.ts';

/** A retry may succeed after these statuses. Every other 4xx is final. */
const MOMENTARY = new Set([408, 409, 425]);

/** Statuses about the caller's request (docs/errors.md, "Error codes"). */
const REJECTIONS = new Set([400, 413, 422]);
const MAX_RETRY_AFTER_SECONDS = 86_400;

/** The provider of an attempt, and the credential that was sent to it. */
export interface UsedCredential {
  providerId: string;
  /** Name of the environment variable; undefined: none was sent, or a fetched credential. */
  credentialEnv: string | undefined;
  /** The source of a fetched credential. */
  source?: string | undefined;
}

export interface FailedResponse {
  status: number;
  retryAfter: string | undefined;
  /** At most the first few kilobytes. */
  bodyText: string;
  /** The body without the gateway's secrets; undefined: the caller gets an error of the gateway instead. */
  bodyForCaller: string | undefined;
  /** True if the body says that the credential is refused; left out: the status decides. */
  isAccessRefused?: boolean;
  /** The wait that the body asks for. */
  retryAfterSeconds?: number;
}

/**
 * Returns the caller's error for a response with an error status.
 * @param usedCredential for the operator's log
 * @param redact removes our own secrets from text
 */
export function errorForResponse(
  response: FailedResponse,
  usedCredential: UsedCredential,
  redact: (text: string) => string,
): GatewayError {
  const error = errorOf(response, usedCredential, redact);
  const { bodyForCaller, bodyText, retryAfter, status } = response;
  error.report ??= reportStatus(status, bodyText, redact);
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
    return withRefusalReport(accessRefused(status, usedCredential), status, redact(bodyText));
  const cause = new Error(`the provider answered ${status}`);
  if (status === 429) {
    const waitSeconds = retryAfter ?? response.retryAfterSeconds?.toString();
    return providerLimits(retryAfterSeconds(waitSeconds), cause);
  }
  if (REJECTIONS.has(status)) {
    const reason = readErrorMessage(bodyText);
    return rejected(status, reason && cutText(redact(reason), MAX_WORDS), { cause, bodyForCaller });
  }
  const isFinal = status >= 400 && status < 500 && !MOMENTARY.has(status);
  const report = reportStatus(status, bodyText, redact);
  const error = isFinal ? providerRefused(cause, report) : badGateway(cause, report);
  if (isProviderFault(status)) return error;
  const isMissing = isModelMissing(status, readErrorMessage(bodyText) ?? '');
  return withVerdict(error, isMissing ? VERDICTS.model_not_served : VERDICTS.caused_by_request);
}

/** Reports a refused credential: only the operator sees the provider's words. */
export function withRefusalReport(error: GatewayError, status: number, bodyText: string): GatewayError {
  const { caller, operator = caller } = reportStatus(status, bodyText, (text) => text);
  error.report = { caller: REFUSES_CREDENTIAL, operator };
  return error;
}

/** The request may have caused a 3xx or 4xx. */
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
  return withVerdict(
    isTooLong ? contextTooLong(reason, cause) : providerRejected(status, reason, cause),
    verdict,
  );
}

/** Returns the error for a refused credential. Its cause, for the operator's log, names the variable. */
export function accessRefused(status: number, usedCredential: UsedCredential): GatewayError {
  const { providerId } = usedCredential;
  const message = `the provider ${providerId} answered ${status} to a request ${credentialPhrase(usedCredential)}`;
  return withVerdict(providerRefusesGateway(new Error(message)), verdictOnRefusal(status));
}

function verdictOnRefusal(status: number): Verdict {
  if (status === 401) return VERDICTS.credential_refused;
  return status === 403 ? VERDICTS.credential_refused_for_model : VERDICTS.credential_refused_in_body;
}

function credentialPhrase({ credentialEnv, source }: UsedCredential): string {
  if (credentialEnv !== undefined) return `with the credential of ${credentialEnv}`;
  return source === undefined ? 'without a credential' : `with ${source}`;
}

/** Returns the error for a fetched credential that has expired. A new one may be accepted. */
export function credentialExpired(status: number): GatewayError {
  const cause = new Error(`the provider answered ${status}`);
  return withVerdict(providerRefusesGateway(cause), VERDICTS.credential_expired);
}

/** Returns the error for a credential that could not be fetched. No request was sent. */
export function credentialNotFetched(cause: unknown): GatewayError {
  const error = new Error('a credential for the provider could not be fetched', { cause });
  return withVerdict(badGateway(error), VERDICTS.credential_not_fetched);
}

/** Returns the error for a failure that one caller alone can cause. @param message for the log */
export function causedByRequest(message: string, cause?: unknown): GatewayError {
  return withVerdict(badGateway(new Error(message, { cause })), VERDICTS.caused_by_request);
}

/**
 * Returns the error for a response that the model gave up or wrote wrongly. A prompt can provoke that.
 * @param reason the provider's word for it
 * @param words the provider's explanation, if it has one
 */
export function gaveUp(reason: string, words?: string): GatewayError {
  const explained = words === undefined ? reason : `${reason} (${cutText(words, MAX_WORDS)})`;
  return withVerdict(
    modelGaveUp(explained, new Error(`the model gave up: ${reason}`)),
    VERDICTS.caused_by_request,
  );
}

/** Returns the error for JSON of the wrong shape: some providers reject requests that way. */
export function unexpectedJson(cause: unknown): GatewayError {
  return causedByRequest('the provider answered JSON that is no answer', cause);
}

/** Returns the error for a provider that does not count prompts of this model or for this account. */
export function notCounted(status: number): GatewayError {
  const cause = new Error(`the provider answered ${status}: it does not count for this`);
  return withVerdict(providerRefused(cause), VERDICTS.not_counted);
}

export function isNotCounted(failure: unknown): boolean {
  return failure instanceof GatewayError && failure.verdict === VERDICTS.not_counted;
}

/**
 * Returns the error for a rate limit that is reported inside a response with status 200.
 * @param waitSeconds the wait that the provider asks for
 */
export function rateLimitedInStream(message: string, waitSeconds?: number): GatewayError {
  return providerLimits(retryAfterSeconds(waitSeconds?.toString()), new Error(message));
}

export function upstreamTimeout(what: string, milliseconds: number): GatewayError {
  return providerTooSlow(new Error(`${what} took longer than ${milliseconds} ms`));
}

export function responseTooLong(milliseconds: number): GatewayError {
  const message = `the answer had begun, and took longer than ${milliseconds} ms in all`;
  return withVerdict(answerTakesTooLong(new Error(message)), VERDICTS.answer_too_long);
}

export function withVerdict(error: GatewayError, verdict: Verdict): GatewayError {
  error.verdict = verdict;
  return error;
}

/** Converts a Retry-After header, seconds or a date, to whole seconds: at most a day. */
function retryAfterSeconds(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return seconds >= 0 ? Math.min(Math.ceil(seconds), MAX_RETRY_AFTER_SECONDS) : undefined;
}
