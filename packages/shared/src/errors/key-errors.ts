import { GatewayError } from './gateway-error.ts';

/** Gives one message for all these cases, so that nobody who guesses keys learns which ones exist. */
export function invalidKey(): GatewayError {
  const message =
    'The API key is missing, malformed, unknown or revoked. ' +
    'Send a valid key as "Authorization: Bearer <API_KEY>".';
  return new GatewayError('invalid_api_key', message);
}

/** The error for a key of a provider. It repeats no part of the key. */
export function keyOfProvider(): GatewayError {
  const message =
    "The API key looks like a model provider's own key. Send a key of this gateway, which begins with " +
    '"gw_live_", as "Authorization: Bearer <API_KEY>".';
  return new GatewayError('invalid_api_key', message);
}

/** The error for a key of the management API. It repeats no part of the key. */
export function keyOfManagement(): GatewayError {
  const message =
    'This is an admin key, which manages the gateway and cannot call models. Send an API key, which begins with ' +
    '"gw_live_", as "Authorization: Bearer <API_KEY>".';
  return new GatewayError('invalid_api_key', message);
}

/** The error when the two headers for keys have different keys. */
export function twoKeys(): GatewayError {
  const message =
    'The headers "Authorization" and "x-api-key" have different API keys. Send only one of them.';
  return new GatewayError('invalid_api_key', message);
}

export function keyRevoked(): GatewayError {
  return new GatewayError('invalid_api_key', 'This API key has been revoked. Create a new one and use that.');
}

export function keyExpired(): GatewayError {
  return new GatewayError('invalid_api_key', 'This API key has expired. Create a new one and use that.');
}

/** The error when no service that can check a key answers. */
export function keysUncheckable(cause?: unknown): GatewayError {
  const message =
    'The gateway cannot check API keys at the moment. Your key is not the problem: retry in a second.';
  return new GatewayError('control_plane_unavailable', message, { cause });
}

/** The error when, during a request, no service that can check its key answers any more. */
export function keysUncheckableAnyMore(): GatewayError {
  const message =
    'The gateway cannot check API keys any more, so it has ended this request. ' +
    'Your key is not the problem: retry.';
  return new GatewayError('control_plane_unavailable', message);
}

export function tooManyKeyLookups(): GatewayError {
  const message = 'Too many keys are being looked up at the moment. Retry in a second.';
  return new GatewayError('overloaded', message);
}

/**
 * @param perSecond how many unknown keys of the address are still looked up
 * @param headers the headers that describe this limit, as for every other limit
 */
export function tooManyUnknownKeys(perSecond: number, headers: Record<string, string>): GatewayError {
  const message =
    `Too many unknown API keys came from your address (at most ${perSecond} per second are looked up). ` +
    'Check the key that you send.';
  return new GatewayError('rate_limit_exceeded', message, { headers });
}

/** An account names many end users that were not seen before. @param perSecond how many are looked up */
export function tooManyEndUsers(perSecond: number): GatewayError {
  const message =
    `Too many new end users were named with keys of this account (at most ${perSecond} per second are looked ` +
    'up). Check the ids that you send, or retry in a second.';
  return new GatewayError('rate_limit_exceeded', message, { retryAfterSeconds: 1 });
}
