import type { IncomingMessage } from 'node:http';
import { headerValues } from '@model-gateway/service-kit';
import { isWellFormedApiKey } from '@model-gateway/shared';

/** Whether the request has an Authorization header at all, valid or not. */
export function hasAuthorization(req: IncomingMessage): boolean {
  return req.headers.authorization !== undefined;
}

/**
 * The raw key that a request presents: in exactly one Authorization header, with the scheme Bearer in any
 * case, and with a right checksum. Anything else is malformed, and needs no look-up.
 */
export function presentedKey(req: IncomingMessage): string | undefined {
  // `req.headers` has only the first of several Authorization headers, and does not show the others.
  const [value, ...others] = headerValues(req, 'authorization');
  if (value === undefined || others.length > 0) return undefined;
  const rawKey = /^bearer +(\S+)$/i.exec(value)?.[1];
  return rawKey !== undefined && isWellFormedApiKey(rawKey) ? rawKey : undefined;
}
