import { GatewayError, type ProviderReport } from '@model-gateway/shared';
import { asProviderReported, badGateway } from '@model-gateway/shared/errors';
import { isObject, type JsonObject } from '../json/json-object.ts';
import { cutText, firstWords, MAX_WORDS, removePrivate } from './provider-words.ts';
import { isMarkup, readErrorMessage } from './read-error-message.ts';
import { verdictOf } from './verdicts.ts';

type Redact = (text: string) => string;

/** Returns true for statuses about the provider (3xx, 5xx) or the operator's account (401, 402, 429). */
function isOnlyForOperator(status: number): boolean {
  return status < 400 || status >= 500 || status === 401 || status === 402 || status === 429;
}

/** Reports a response with an error status: `answered 404: no such model`. */
export function reportStatus(status: number, bodyText: string, redact: Redact): ProviderReport {
  const isPage = isMarkup(bodyText);
  const what = isPage ? `answered ${status} with HTML` : `answered ${status}`;
  const words = redact(isPage ? bodyText : (readErrorMessage(bodyText) ?? ''));
  return reportOf(what, words, isPage || isOnlyForOperator(status));
}

/** @param text without secrets */
function reportOf(what: string, text: string, isPrivate: boolean): ProviderReport {
  // Private parts are removed before the cut, which could leave half of one.
  const words = firstWords(text, 2 * MAX_WORDS);
  if (words === '') return { caller: what };
  const operator = `${what}: ${withoutPeriod(cutText(words, MAX_WORDS))}`;
  const publicWords = () => withoutPeriod(cutText(removePrivate(words), MAX_WORDS));
  const caller = isPrivate ? what : `${what}: ${publicWords()}`;
  return caller === operator ? { caller } : { caller, operator };
}

/** Removes the period at the end, because sentences follow. */
function withoutPeriod(words: string): string {
  return words.replace(/\.$/, '');
}

/** Types, codes and statuses of errors about the request, within a response with status 200. */
const ABOUT_REQUEST =
  /^(?:invalid_request(?:_error)?|invalid_prompt|request_too_large|context_length_exceeded|invalid_argument|failed_precondition|validationException|400|413|422)$/i;

/**
 * Reports an error that a provider sent inside a response with status 200. The caller sees its words only if
 * it says that it is about the request: other words may reveal internals of the provider.
 * @param text the event, or the whole response
 */
export function withReportedWords(thrown: unknown, text: string, redact: Redact): unknown {
  if (!(thrown instanceof GatewayError)) return thrown;
  if (isMarkup(text)) return asProviderReported(thrown, { caller: 'answered HTML instead of JSON' });
  const found = findReportedError(text);
  const words = found === undefined ? undefined : readErrorMessage(JSON.stringify(found));
  if (words === undefined) return thrown;
  const { code, status, type }: JsonObject = isObject(found) ? found : {};
  const isPublic = [code, status, type].some((mark) => ABOUT_REQUEST.test(String(mark)));
  const report = reportOf('reported an error', redact(words), !isPublic);
  if (isPublic && thrown.code === 'upstream_error') return asProviderReported(thrown, report);
  thrown.report = report;
  return thrown;
}

/** Finds the error in an error event or a whole response. */
function findReportedError(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const [first] = Array.isArray(value) ? value : [value];
  if (!isObject(first)) return undefined;
  const { ':exception': exception, delta, error, response, type } = first;
  return (
    error ??
    exception ??
    (isObject(response) ? response.error : undefined) ??
    (isObject(delta) ? delta.error : undefined) ??
    (type === 'error' ? first : undefined)
  );
}

/** Returns the error for a response of another content type. @param expected such as `JSON` */
export function wrongContentType(contentType: string | undefined, expected: string): GatewayError {
  const type = /^[\w.+-]{1,60}\/[\w.+-]{1,60}/.exec(contentType ?? '')?.[0] ?? 'no content type';
  const what = /^(?:text\/html|application\/xhtml)/i.test(type) ? 'HTML' : type;
  const caller = `answered ${what} instead of ${expected}`;
  return badGateway(new Error(`the provider ${caller}`), { caller });
}

/**
 * Returns what the provider did in a failed attempt, safe to store and to print.
 * @param redact removes the gateway's credentials
 * @returns undefined if the provider had no part in the failure
 */
export function reportOfFailure(failure: unknown, redact: Redact): ProviderReport | undefined {
  if (!(failure instanceof GatewayError)) return undefined;
  const { blame } = verdictOf(failure);
  if (failure.report === undefined && (blame === 'gateway' || blame === 'client')) return undefined;
  const { caller, operator } = failure.report ?? reportOfCause(failure);
  const clean = (text: string) => firstWords(redact(text), MAX_REPORT);
  const forCaller = removePrivate(clean(caller));
  const forOperator = clean(operator ?? caller);
  return forCaller === forOperator ? { caller: forCaller } : { caller: forCaller, operator: forOperator };
}

/** Characters of a report: the provider's words, and the text before them. */
const MAX_REPORT = 550;

/** Reports the message of an error to the caller, and its cause to the operator. */
function reportOfCause({ cause, message }: GatewayError): ProviderReport {
  const caller = /^The model provider (.+?)\.(?: |$)/.exec(message)?.[1] ?? message;
  const reason = cause instanceof Error ? causeText(cause) : '';
  return reason === '' ? { caller } : { caller, operator: reason };
}

/** Joins an error and its causes: `the event stream ended: connect ECONNREFUSED 127.0.0.1:1`. */
function causeText(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  const own = (error.message || code).replace(/^the provider /, '');
  const inner = error.cause instanceof Error ? causeText(error.cause) : '';
  return [own, inner].filter((text) => text !== '').join(': ');
}
