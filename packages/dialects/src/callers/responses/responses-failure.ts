import type { GatewayError } from '@model-gateway/shared';
import { VERDICTS, verdictOf } from '../../failures/verdicts.ts';

/** The `error` of a response that has failed. */
export interface ResponseError {
  code: string;
  message: string;
  /** The gateway's request id, for its operator. */
  request_id: string;
  /** The figures of a code, e.g. `needed_usd`. */
  [detail: string]: string | number | null;
}

/**
 * Builds the error of a failed stream. Clients act on the code: agents stop at an empty balance, wait as long
 * as the message of a rate limit says, shorten a conversation that is too long, do not repeat refused
 * requests, and retry everything else.
 */
export function responseError(error: GatewayError, requestId: string): ResponseError {
  const { details, message } = error;
  const code = codeOf(error);
  const isLimit = code === 'rate_limit_exceeded';
  return { ...details, code, message: isLimit ? withWait(error) : message, request_id: requestId };
}

function codeOf(error: GatewayError): string {
  const { status } = error;
  if (status === 402) return 'insufficient_quota';
  if (status === 429) return 'rate_limit_exceeded';
  if (verdictOf(error) === VERDICTS.context_too_long) return 'context_length_exceeded';
  return status === 400 || status === 413 || status === 422 ? 'invalid_prompt' : 'server_error';
}

/** Codex looks for these words. */
function withWait({ headers, message }: GatewayError): string {
  const seconds = headers['retry-after'] ?? '1';
  return `${message} Please try again in ${seconds}s.`;
}
