import { GatewayError } from './gateway-error.ts';

/** One sentence for all of these: whoever tries keys is not told which there are. */
export function invalidKey(): GatewayError {
  const message =
    'The API key is missing, malformed, unknown or revoked. Send a valid key as "Authorization: Bearer <API_KEY>".';
  return new GatewayError('invalid_api_key', message);
}

export function keyRevoked(): GatewayError {
  return new GatewayError('invalid_api_key', 'This API key has been revoked. Create a new one and use that.');
}

export function keyExpired(): GatewayError {
  return new GatewayError('invalid_api_key', 'This API key has expired. Create a new one and use that.');
}

/** Nobody who could say whether a key is valid can be asked. */
export function keysUncheckable(cause?: unknown): GatewayError {
  const message =
    'The gateway cannot check API keys at the moment. Your key is not the problem: retry in a second.';
  return new GatewayError('control_plane_unavailable', message, { cause });
}

/** As `keysUncheckable`, of a request that has begun. */
export function keysUncheckableAnyMore(): GatewayError {
  const message =
    'The gateway cannot check API keys any more, so it has ended this request. Your key is not the problem: retry.';
  return new GatewayError('control_plane_unavailable', message);
}

export function tooManyKeyLookups(): GatewayError {
  const message = 'Too many keys are being looked up at the moment. Retry in a second.';
  return new GatewayError('overloaded', message);
}

/**
 * @param perSecond how many unknown keys of the address are looked up all the same
 * @param headers that tell of this limit, as of every other
 */
export function tooManyUnknownKeys(perSecond: number, headers: Record<string, string>): GatewayError {
  const message = `Too many unknown API keys came from your address (${perSecond} a second go on). Check the key you send.`;
  return new GatewayError('rate_limit_exceeded', message, { headers });
}
