import { GatewayError } from './gateway-error.ts';

/** Errors about responses that a provider keeps (POST /v1/responses and the routes below it). */

/** Longer than any id that the gateway gives. */
const MAX_SHOWN = 200;

/** In OpenAI's words. @param id as the caller has sent it, whatever is wrong with it */
export function previousResponseNotFound(id: string): GatewayError {
  const message = `Previous response with id '${id.slice(0, MAX_SHOWN)}' not found.`;
  return new GatewayError('previous_response_not_found', message, { param: 'previous_response_id' });
}

/** As `previousResponseNotFound`, of an id in the path. */
export function responseNotFound(id: string, cause?: unknown): GatewayError {
  const message = `Response with id '${id.slice(0, MAX_SHOWN)}' not found.`;
  return new GatewayError('not_found', message, { param: 'response_id', cause });
}

/**
 * The error when the catalog has no longer the provider that keeps a response, or says no longer that it has
 * that API.
 * @param param where the id stands
 */
export function responseProviderGone(
  providerId: string,
  param: 'previous_response_id' | 'response_id',
): GatewayError {
  const advice =
    param === 'response_id'
      ? 'The operator of the gateway can bring it back.'
      : 'Send the whole conversation as `input` instead, with `store: false` and without `previous_response_id`.';
  const message =
    `The response is kept by the provider "${providerId}", which this gateway does not ask for responses ` +
    `any more. ${advice}`;
  return new GatewayError('not_found', message, { param });
}

/** The error for a turn of a model that the provider of the turn before does not serve. */
export function responseOfAnotherProvider(modelId: string, providerId: string, before: string): GatewayError {
  const message =
    `previous_response_id: the response was made by "${before}" and is kept by the provider "${providerId}", ` +
    `which does not serve the model "${modelId}". Ask "${before}" again, or send the whole conversation as ` +
    '`input`, with `store: false` and without `previous_response_id`.';
  return new GatewayError('invalid_request', message, { param: 'previous_response_id' });
}

/** The error for something that a provider does not store. @param reason its words, without secrets */
export function notKeptByProvider(
  reason = 'The model provider does not have what the request refers to.',
  cause?: unknown,
): GatewayError {
  return new GatewayError('not_found', reason, { cause });
}
