import { formatIssues, jsonPath } from '@model-gateway/shared';
import type { z } from 'zod';
import { ManagementError } from './management-error.ts';

export function routeNotFound(): ManagementError {
  return new ManagementError('not_found', 'There is no such route. GET /admin/docs lists the routes.');
}

export function methodNotAllowed(method: string, allowed: readonly string[]): ManagementError {
  const allow = allowed.join(', ');
  const message = `${method} is not allowed here. Use ${allow}.`;
  return new ManagementError('method_not_allowed', message, { headers: { allow } });
}

export function notJson(cause?: unknown): ManagementError {
  return new ManagementError('invalid_json', 'The request body is not valid JSON.', { cause });
}

export function unsupportedBody(cause?: unknown): ManagementError {
  const message = 'Send JSON in UTF-8, uncompressed, with Content-Type: application/json.';
  return new ManagementError('unsupported_media_type', message, { cause });
}

/** @param maxBytes undefined: unknown */
export function bodyTooLarge(maxBytes: number | undefined): ManagementError {
  const limit = maxBytes === undefined ? '' : ` It may have at most ${maxBytes} bytes.`;
  return new ManagementError('request_too_large', `The request body is too large.${limit}`);
}

export function malformedRequest(cause: unknown): ManagementError {
  return new ManagementError('invalid_request', 'The request is malformed.', { cause });
}

export function bodyNotWanted(method: string): ManagementError {
  return new ManagementError(
    'invalid_request',
    `A ${method} request takes no body here. Send it without one.`,
  );
}

/** @param what the problem, such as "is required" */
export function invalidField(param: string, what: string): ManagementError {
  return new ManagementError('invalid_request', `${param}: ${what}.`, { param });
}

/** Returns 422 for the first unknown field, else 400 for the first thing that a schema finds wrong. */
export function invalidInput(error: z.ZodError, where: 'request body' | 'query'): ManagementError {
  for (const issue of error.issues) {
    const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [];
    if (key !== undefined) return unknownField(jsonPath([...issue.path, key]), where);
  }
  const [{ path, message } = { path: '', message: 'is not valid' }] = formatIssues(error);
  if (path !== '') return invalidField(path, message);
  return new ManagementError('invalid_request', `The ${where}: ${message}.`);
}

export function unknownField(param: string, where: string): ManagementError {
  const message = `The ${where} has an unknown field: ${param}. Remove it, or correct its name.`;
  return new ManagementError('unknown_field', message, { param });
}

export function nestedTooDeep(maxDepth: number, where: string): ManagementError {
  return new ManagementError('invalid_request', `The ${where} is nested deeper than ${maxDepth} levels.`);
}

/** @param path of the text; empty: all of it */
export function unusableText(path: string, where: string): ManagementError {
  const what = 'has the character NUL, or half of a surrogate pair';
  if (path !== '') return invalidField(path, what);
  return new ManagementError('invalid_request', `The ${where} ${what}.`);
}

export function invalidHeader(name: string, what: string): ManagementError {
  return new ManagementError('invalid_request', `The header ${name} ${what}.`, { param: name });
}
