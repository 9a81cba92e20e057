import type { IncomingMessage } from 'node:http';
import { headerValues } from '@model-gateway/service-kit';
import { type GatewayError, isWellFormedApiKey } from '@model-gateway/shared';
import { invalidKey, keyOfManagement, keyOfProvider, twoKeys } from '@model-gateway/shared/errors';

/** Returns true if the request has an Authorization header at all, valid or not. */
export function hasAuthorization(req: IncomingMessage): boolean {
  return req.headers.authorization !== undefined;
}

/**
 * Reads the key from exactly one Authorization header, with the scheme Bearer in any case, and a valid
 * checksum. Returns undefined for anything else, which needs no lookup.
 */
export function bearerKey(req: IncomingMessage): string | undefined {
  // `req.headers` has only the first of several Authorization headers, and does not show the others.
  const [value, ...others] = headerValues(req, 'authorization');
  if (value === undefined || others.length > 0) return undefined;
  const rawKey = /^bearer +(\S+)$/i.exec(value)?.[1];
  return wellFormed(rawKey);
}

const KEY_HEADER = 'x-api-key';

/**
 * Reads the key from Anthropic's header or as `bearerKey` does.
 * @throws GatewayError 401 if both are there and differ
 */
export function bearerOrHeaderKey(req: IncomingMessage): string | undefined {
  const [value, ...others] = headerValues(req, KEY_HEADER);
  if (value === undefined) return bearerKey(req);
  if (others.length > 0) return undefined;
  if (!hasAuthorization(req)) return wellFormed(value);
  const bearer = bearerKey(req);
  if (bearer !== value) throw twoKeys();
  return bearer;
}

function wellFormed(rawKey: string | undefined): string | undefined {
  return rawKey !== undefined && isWellFormedApiKey(rawKey) ? rawKey : undefined;
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
