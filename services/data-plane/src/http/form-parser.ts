import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { GatewayError } from '@model-gateway/shared';
import { invalidField, malformedForm, unsupportedBody } from '@model-gateway/shared/errors';
import type { AuthenticatedExchange } from './exchange.ts';

export const MAX_NAME_LENGTH = 100;
const MAX_FIELDS = 100;
const LIMITS = { fieldSize: 1024 * 1024, fields: MAX_FIELDS, headerPairs: 20 };

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

export function emptyFile(param: string): GatewayError {
  return invalidField(param, 'is empty; send a file with content');
}
