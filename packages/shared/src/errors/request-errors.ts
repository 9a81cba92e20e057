import type { z } from 'zod';
import { formatIssues } from '../wire/format-issues.ts';
import { spellingMessage } from '../wire/member-spelling.ts';
import type { Unpriced } from '../wire/unpriced.ts';
import { GatewayError } from './gateway-error.ts';

/** @param cause the error of the parser */
export function notJson(cause?: unknown): GatewayError {
  return new GatewayError('invalid_json', 'The request body is not valid JSON.', { cause });
}

export function emptyBody(cause: unknown): GatewayError {
  return new GatewayError('invalid_json', 'The request body is empty. Send JSON.', { cause });
}

export function notUtf8(cause: unknown): GatewayError {
  return new GatewayError('invalid_json', 'The request body is not valid UTF-8.', { cause });
}

/**
 * The error for JSON that different readers may understand differently.
 * @param what completes "The request body …"
 */
export function notPlainJson(what: string): GatewayError {
  return new GatewayError('invalid_json', `The request body ${what}. Send plain JSON.`);
}

/** The error for the first thing that a schema finds wrong in a JSON body. */
export function invalidBody(error: z.ZodError): GatewayError {
  const [{ path, message } = { path: '', message: 'is not valid' }] = formatIssues(error);
  if (path !== '') return invalidField(path, message);
  return new GatewayError('invalid_request', `The request body: ${message}.`);
}

/** @param what names the problem: "is there twice" */
export function invalidField(param: string, what: string): GatewayError {
  return new GatewayError('invalid_request', `${param}: ${what}.`, { param });
}

/** Only providers with the Responses API can compact a conversation. */
export function compactionUnsupported(modelId: string): GatewayError {
  return invalidField(
    'model',
    `the provider of ${modelId} cannot compact a conversation; compact it in the client ` +
      '(Codex does if its provider has another name than "OpenAI"), or ask a model for a summary',
  );
}

/** Returns the error under the field name that the caller used, if its API has another name for the field. */
export function renamedField(error: GatewayError, param: string): GatewayError {
  const { code, message, param: known } = error;
  if (known === null || param === known) return error;
  const words = message.startsWith(`${known}:`) ? `${param}${message.slice(known.length)}` : message;
  return new GatewayError(code, words, { param, cause: error });
}

/** The error for a name that some providers would take for `meant`. */
export function misspeltField(name: string, meant: string): GatewayError {
  return invalidField(name, spellingMessage(meant));
}

/** The error for a field that changes the provider's bill, at a model that has no price for it. */
export function unpricedField(modelId: string, { param, advice, needsTier }: Unpriced): GatewayError {
  const message =
    needsTier === undefined
      ? `${param}: changes what the provider charges, and the model "${modelId}" has no price for it. ${advice}`
      : `${param}: the model "${modelId}" has no price for the tier "${needsTier}". ${advice}`;
  return new GatewayError('invalid_request', message, { param });
}

export function malformedForm(cause: unknown): GatewayError {
  const message = 'The form is malformed. Send multipart/form-data as your HTTP client makes it.';
  return new GatewayError('invalid_request', message, { cause });
}

/** @param advice a sentence: what to send instead */
export function unsupportedBody(advice: string): GatewayError {
  return new GatewayError('unsupported_media_type', `The body's media type is not supported. ${advice}`);
}

export function bodyTooLarge(maxBytes: number): GatewayError {
  return new GatewayError('request_too_large', `The request body may have at most ${maxBytes} bytes.`);
}

export function formTooLarge(maxBytes: number): GatewayError {
  return new GatewayError('request_too_large', `The form may have at most ${maxBytes} bytes.`);
}

/**
 * The error when fewer than this many bytes arrived within a window of time. The rest of the body is not
 * waited for.
 */
export function bodyTooSlow(bytes: number, windowMs: number): GatewayError {
  const rate = Math.round(bytes / windowMs);
  const message = `The request body came slower than ${rate} kB/s over ${windowMs / 1_000} s. Send it again, faster.`;
  return new GatewayError('request_timeout', message, { headers: { connection: 'close' } });
}

/**
 * The error for a field that changes the answer, and that the API of the model's provider cannot express.
 * @param why completes "The model … ": "takes no `n` above 1"
 */
export function notExpressible(modelId: string, param: string, why: string): GatewayError {
  return new GatewayError('invalid_request', `${param}: the model "${modelId}" ${why}.`, { param });
}
