import { GatewayError } from './gateway-error.ts';

/** Maximum characters of a guardrail's reason. */
const MAX_REASON = 300;

/** @param reason of the guardrail, which may repeat words of the caller */
export function requestBlocked(guardrail: string, reason: string | undefined): GatewayError {
  const why = reason === undefined ? '' : `: ${oneLine(reason)}`;
  const message = `The guardrail "${guardrail}" blocked this request${why}. Change its content and send it again.`;
  return new GatewayError('content_blocked', message);
}

/**
 * @param reason of the guardrail. The message does not repeat it, because it may quote what is withheld; the
 *   operator's record of the attempt does.
 */
export function responseBlocked(guardrail: string, reason: string | undefined): GatewayError {
  const message =
    `The guardrail "${guardrail}" withheld the response of the model. The provider has billed it, so it is ` +
    'charged. Change the request and send it again.';
  const error = new GatewayError('content_blocked', message);
  const caller = `the guardrail "${guardrail}" withheld the response`;
  error.report = reason === undefined ? { caller } : { caller, operator: `${caller}: ${oneLine(reason)}` };
  return error;
}

/** The error for a text completion that a guardrail would have to check. */
export function uncheckedCompletion(guardrail: string): GatewayError {
  const message =
    `The guardrail "${guardrail}" checks chats only, so this request cannot be sent. ` +
    'Use a chat model with POST /v1/chat/completions.';
  return new GatewayError('endpoint_not_allowed', message);
}

/** The error for a check that failed: nothing unchecked passes. */
export function guardrailUnavailable(guardrail: string, cause: unknown): GatewayError {
  const message = `The guardrail "${guardrail}" could not check this request or its response. Retry it later.`;
  const error = new GatewayError('guardrail_unavailable', message, { cause });
  error.report = { caller: `the guardrail "${guardrail}" failed` };
  return error;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const short = line.length > MAX_REASON ? `${line.slice(0, MAX_REASON)}…` : line;
  return short.replace(/\.$/, '');
}
