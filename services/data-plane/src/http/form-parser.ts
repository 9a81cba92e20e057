import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { FormField } from '@model-gateway/dialects';
import type { GatewayError } from '@model-gateway/shared';
import { invalidField, malformedForm, unsupportedBody } from '@model-gateway/shared/errors';
import type { AuthenticatedExchange } from './exchange.ts';

export const MAX_NAME_LENGTH = 100;
const MAX_FIELDS = 100;
/** Bounds all fields together: they are copied, and written as JSON, where some characters have six bytes. */
const MAX_FIELDS_BYTES = 1024 * 1024;
const LIMITS = { fieldSize: MAX_FIELDS_BYTES, fields: MAX_FIELDS, headerPairs: 20 };

/** @throws GatewayError 400 */
export function openParser(contentType: string, files: number): BusboyInstance {
  try {
    const limits = { ...LIMITS, files, parts: MAX_FIELDS + files };
    return new Busboy({ headers: { 'content-type': contentType }, limits });
  } catch (cause) {
    throw malformedForm(cause);
  }
}

/** @throws GatewayError 415 for a Content-Encoding */
export function mediaTypeOf({ req: { headers } }: Pick<AuthenticatedExchange, 'req'>): string {
  if (headers['content-encoding'] !== undefined)
    throw unsupportedBody('Send the body without Content-Encoding.');
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** @throws GatewayError 400 for a field that the parser cut off */
export function requireWholeField(name: string, isTruncated: boolean): void {
  if (isTruncated || name.length > MAX_NAME_LENGTH)
    throw invalidField(name.slice(0, MAX_NAME_LENGTH), 'is too long');
}

/** @throws GatewayError 400 that names the last field, if the fields are too long together */
export function limitTotalFieldBytes(fields: readonly FormField[]): void {
  const bytes = fields.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
  if (bytes > MAX_FIELDS_BYTES)
    throw invalidField(
      fields.at(-1)?.name ?? '',
      `is too long: the fields of a form may have ${MAX_FIELDS_BYTES} bytes together`,
    );
}

export function emptyFile(param: string): GatewayError {
  return invalidField(param, 'is empty; send a file with content');
}
