import type { Capability } from '../catalog/capability.ts';
import { GatewayError } from './gateway-error.ts';

const LIST = 'GET /v1/models with this key lists the models that it may use.';

/**
 * The error for a model that the rule `models` does not allow.
 * @param model such as `the model "acme/large"`
 * @param param the field that names it
 */
export function modelNotAllowed(model: string, param?: string): GatewayError {
  const message = `The rules of this API key do not allow ${model}. ${LIST}`;
  return new GatewayError('model_not_allowed', message, { param });
}

/** The error for an allowed model without an allowed provider. Parameters as for `modelNotAllowed`. */
export function providersNotAllowed(model: string, param?: string): GatewayError {
  const message = `The rules of this API key allow no provider of ${model}. ${LIST}`;
  return new GatewayError('model_not_allowed', message, { param });
}

/** The error for a stored response from a provider that the rule `providers` does not allow. */
export function responseNotAllowed(param?: string): GatewayError {
  const message = 'The rules of this API key do not allow the provider of this response.';
  return new GatewayError('model_not_allowed', message, { param });
}

export function endpointNotAllowed(capability: Capability): GatewayError {
  const message =
    `The rules of this API key do not allow requests for ${capability}. ` +
    `Ask whoever manages the key to add "${capability}" to its endpoints.`;
  return new GatewayError('endpoint_not_allowed', message);
}

/** @param address the client's address, as the gateway sees it */
export function networkNotAllowed(address: string): GatewayError {
  const message =
    `The rules of this API key do not allow requests from ${address}. ` +
    'Send them from an allowed network, or ask whoever manages the key to add this one.';
  return new GatewayError('network_not_allowed', message);
}

export function tagRequired(name: string): GatewayError {
  const message =
    `The rules of this API key require the tag "${name}". ` +
    `Send it as a header: "x-gateway-tags: ${name}=VALUE".`;
  return new GatewayError('tag_required', message);
}

export function endUserRequired(): GatewayError {
  const message =
    'The rules of this API key require an end user. Send its id in the header "x-gateway-end-user", or as ' +
    '"user", "safety_identifier" or "metadata.user_id".';
  return new GatewayError('end_user_required', message);
}
