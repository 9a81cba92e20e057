import type { IncomingMessage } from 'node:http';
import { headerValues } from '@model-gateway/service-kit';
import type { GatewayError } from '@model-gateway/shared';
import { invalidKey, keyOfManagement, keyOfProvider, twoKeys } from '@model-gateway/shared/errors';

const BEARER = /^bearer /i;
const BEARER_LENGTH = 'Bearer '.length;

/** Returns true if the request has an Authorization header at all, valid or not. */
export function hasAuthorization(req: IncomingMessage): boolean {
  return req.headers.authorization !== undefined;
}

/**
 * Reads the token from exactly one Authorization header with the scheme Bearer in any case. It need not have
 * the form of a key. Returns undefined without such a header.
 */
export function bearerKey(req: IncomingMessage): string | undefined {
  // `req.headers` has only the first of several Authorization headers, and does not show the others.
  const value = onlyValue(req, 'authorization');
  if (value === undefined || !BEARER.test(value)) return undefined;
  let start = BEARER_LENGTH;
  while (value[start] === ' ') start++;
  return value.slice(start);
}

const KEY_HEADER = 'x-api-key';

/**
 * Reads the key from Anthropic's header or as `bearerKey` does.
 * @throws GatewayError 401 if both are there and differ
 */
export function bearerOrHeaderKey(req: IncomingMessage): string | undefined {
  if (req.headers[KEY_HEADER] === undefined) return bearerKey(req);
  const value = onlyValue(req, KEY_HEADER);
  if (value === undefined || !hasAuthorization(req)) return value;
  const bearer = bearerKey(req);
  if (bearer !== value) throw twoKeys();
  return bearer;
}

/** Returns the value of a header that was sent exactly once. */
function onlyValue(req: IncomingMessage, name: string): string | undefined {
  const values = headerValues(req, name);
  return values.length === 1 ? values[0] : undefined;
}

/** Matches how keys of providers begin, with or without the scheme. */
const PROVIDERS_KEY = /^(?:bearer +)?(?:sk-|AIza|gsk_|csk-|xai-|pplx-|hf_|nvapi-)/i;

const MANAGEMENT_KEY = /^(?:bearer +)?gw_admin_/i;

/** Returns the error for a request without a key of the form that the gateway issues. */
export function noUsableKey(req: IncomingMessage): GatewayError {
  const sent = [...headerValues(req, 'authorization'), ...headerValues(req, KEY_HEADER)];
  if (sent.some((value) => MANAGEMENT_KEY.test(value))) return keyOfManagement();
  return sent.some((value) => PROVIDERS_KEY.test(value)) ? keyOfProvider() : invalidKey();
}
