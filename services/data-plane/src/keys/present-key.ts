import type { IncomingMessage } from 'node:http';
import { isWellFormedApiKey } from '@model-gateway/shared';

/** Whether the request carries an Authorization header at all, valid or not. */
export function hasAuthorization(req: IncomingMessage): boolean {
  return req.headers.authorization !== undefined;
}

/**
 * The raw key a request presents: exactly one Authorization header, scheme Bearer in any case, a key whose
 * checksum is right. Anything else is malformed, and needs no look-up.
 */
export function presentedKey(req: IncomingMessage): string | undefined {
  // Node keeps the first of several Authorization headers; only the raw list shows the others.
  const values: string[] = [];
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    if (req.rawHeaders[index]?.toLowerCase() === 'authorization')
      values.push(req.rawHeaders[index + 1] ?? '');
  }
  const [value] = values;
  if (value === undefined || values.length > 1) return undefined;
  const rawKey = /^bearer +(\S+)$/i.exec(value)?.[1];
  return rawKey !== undefined && isWellFormedApiKey(rawKey) ? rawKey : undefined;
}
