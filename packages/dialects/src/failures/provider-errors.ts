import { GatewayError } from '@model-gateway/shared';
import {
  answerTakesTooLong,
  badGateway,
  providerLimits,
  providerRefused,
  providerRefusesGateway,
  providerRejected,
  providerTooSlow,
  providerUnreachable,
} from '@model-gateway/shared/errors';
import { AccessRefused, type AskedAs, isAccessRefused } from './refused-access.ts';

/** These may be answered otherwise a moment later; every other 4xx says the same again. */
const MOMENTARY = new Set([408, 409, 425]);

/** What a provider may say about the caller's request (docs/wire-format.md, "Errors"). */
const REJECTIONS = new Set([400, 413, 422]);
const MAX_MESSAGE_LENGTH = 500;
const MAX_RETRY_AFTER_SECONDS = 86_400;

/** What speaks against a provider. A rejected request speaks against the request, a 429 is an answer. */
const PROVIDER_FAULTS = new Set(['upstream_error', 'upstream_timeout']);

const PROVIDERS_WORD = new Set([...PROVIDER_FAULTS, 'upstream_rejected', 'upstream_rate_limited']);

/**
 * The cause of a failure that a caller can bring about alone. It says nothing against the provider: or one
 * tenant could have everybody shut out of it.
 */
export class OfTheRequest extends Error {
  override readonly name: string = 'OfTheRequest';
}

/** Whether a failure has its cause at the provider: in what it answered, or in that it did not answer. */
export function isFromProvider(failure: unknown): failure is GatewayError {
  return failure instanceof GatewayError && PROVIDERS_WORD.has(failure.code);
}

/** Connection failures, time-outs, 5xx, 401 and broken answers, which any request would have met. */
export function speaksAgainstProvider(failure: unknown): boolean {
  if (!(failure instanceof GatewayError) || !PROVIDER_FAULTS.has(failure.code)) return false;
  for (let { cause } = failure; cause instanceof Error; { cause } = cause) {
    if (cause instanceof OfTheRequest) return false;
  }
  return true;
}

export interface ProviderAnswer {
  status: number;
  retryAfter: string | undefined;
  /** At most the first few kilobytes. */
  bodyText: string;
  /** Whether the body says that the gateway itself is refused; left out: only the status says it. */
  isAccessRefused?: boolean;
  /** How long the body says to wait. */
  retryAfterSeconds?: number;
  /** Finds what the provider itself says in it. */
  refusal: (bodyText: string) => string | undefined;
}

/**
 * The error a caller gets for a provider's answer that is no success.
 * @param askedAs for the operator's log
 * @param redact removes our own secrets from text
 */
export function errorForAnswer(
  answer: ProviderAnswer,
  askedAs: AskedAs,
  redact: (text: string) => string,
): GatewayError {
  if (answer.isAccessRefused === true || isAccessRefused(answer.status, answer.bodyText))
    return accessRefused(answer.status, askedAs);
  const said = `the provider answered ${answer.status}`;
  const cause = isOwnFault(answer.status) ? new Error(said) : new OfTheRequest(said);
  if (answer.status === 429) {
    const waitSeconds = answer.retryAfter ?? answer.retryAfterSeconds?.toString();
    return providerLimits(retryAfterSeconds(waitSeconds), cause);
  }
  if (!REJECTIONS.has(answer.status)) {
    const isFinal = answer.status >= 400 && answer.status < 500 && !MOMENTARY.has(answer.status);
    return isFinal ? providerRefused(cause) : badGateway(cause);
  }
  const reason = answer.refusal(answer.bodyText);
  return providerRejected(answer.status, reason && redact(reason).slice(0, MAX_MESSAGE_LENGTH), cause);
}

/** A 4xx may be about what was asked. */
function isOwnFault(status: number): boolean {
  return status >= 500 || status < 300;
}

/**
 * Of a 401 nothing but our credential is the cause. Others may be brought about by what was asked all the
 * same, and so do not have everybody shut out of the provider.
 */
function accessRefused(status: number, askedAs: AskedAs): GatewayError {
  const refused = new AccessRefused(askedAs, status);
  return providerRefusesGateway(
    status === 401 ? refused : new OfTheRequest(refused.message, { cause: refused }),
  );
}

/**
 * A provider says within an answer with status 200 that it gets too many requests. That means what a 429 does,
 * and says nothing against it.
 * @param waitSeconds how long it says to wait
 */
export function limitedWithin(said: string, waitSeconds?: number): GatewayError {
  return providerLimits(retryAfterSeconds(waitSeconds?.toString()), new OfTheRequest(said));
}

/** Valid JSON that is no answer of the capability: some providers reject something in a request that way. */
export function notAsExpected(cause: unknown): GatewayError {
  return badGateway(new OfTheRequest('the provider answered JSON that is no answer', { cause }));
}

export function upstreamTimeout(what: string, milliseconds: number): GatewayError {
  return providerTooSlow(new Error(`${what} took longer than ${milliseconds} ms`));
}

/** The provider was at work all the time: a caller can make an answer as long as it likes. */
export function answerTooLong(milliseconds: number): GatewayError {
  return answerTakesTooLong(
    new OfTheRequest(`the answer had begun, and took longer than ${milliseconds} ms in all`),
  );
}

/** From whatever undici threw before or while the provider answered. */
export function errorForFailure(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return code === 'UND_ERR_CONNECT_TIMEOUT' ? providerUnreachable(thrown) : badGateway(thrown);
}

/** Whole seconds of a Retry-After header, which holds seconds or a date; at most a day. */
export function retryAfterSeconds(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return seconds >= 0 ? Math.min(Math.ceil(seconds), MAX_RETRY_AFTER_SECONDS) : undefined;
}
