import { GatewayError } from './gateway-error.ts';

/** Errors about responses that a provider stores (POST /v1/responses and the routes below it). */

/** Longer than any id that the gateway gives. */
const MAX_SHOWN = 200;

/** In OpenAI's words. @param id as the caller has sent it, whatever is wrong with it */
export function previousResponseNotFound(id: string): GatewayError {
  const message = `Previous response with id '${id.slice(0, MAX_SHOWN)}' not found.`;
  return new GatewayError('previous_response_not_found', message, { param: 'previous_response_id' });
}

/** As `previousResponseNotFound`, for an id in the path. */
export function responseNotFound(id: string, cause?: unknown): GatewayError {
  const message = `Response with id '${id.slice(0, MAX_SHOWN)}' not found.`;
  return new GatewayError('not_found', message, { param: 'response_id', cause });
}

/**
 * The error when the provider that stores a response is no longer in the catalog, or no longer has
 * `responses` among its APIs there.
 * @param param the field that has the id
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
    `The response is stored at the provider "${providerId}", which this gateway no longer uses for ` +
    `responses. ${advice}`;
  return new GatewayError('not_found', message, { param });
}

/** The error when a conversation changes to a model that the provider of its last response lacks. */
export function responseOfAnotherProvider(modelId: string, providerId: string, before: string): GatewayError {
  const message =
    `previous_response_id: the response of "${before}" is stored at the provider "${providerId}", ` +
    `which does not serve the model "${modelId}". Use "${before}" again, or send the whole conversation as ` +
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
