import type { Capability } from '../catalog/capability.ts';
import { CAPABILITY_ENDPOINTS } from '../catalog/capability-endpoints.ts';
import { GatewayError } from './gateway-error.ts';
import { ONLY_THE_OPERATOR } from './provider-errors.ts';

/**
 * The error for a request whose body names a model that does not exist.
 * @param param the field that names it
 * @param similar names of models that may be meant
 */
export function modelNotFound(
  requested: string,
  param = 'model',
  similar: readonly string[] = [],
): GatewayError {
  const question = similar.length === 0 ? '' : ` Did you mean ${similar.join(' or ')}?`;
  const name = JSON.stringify(requested.slice(0, 200));
  const message = `There is no model ${name}.${question} GET /v1/models lists all models.`;
  return new GatewayError('model_not_found', message, { param });
}

/**
 * The error for a model of a provider that has no models here.
 * @param provider the beginning of `requested`
 * @param param the field that names the model
 */
export function modelsProviderAbsent(requested: string, provider: string, param: string): GatewayError {
  const [name, named] = [requested, provider].map((text) => JSON.stringify(text.slice(0, 200)));
  const message =
    `There is no model ${name}: no provider named ${named} is set up here. ` +
    'GET /v1/models lists all models.';
  return new GatewayError('model_not_found', message, { param });
}

/** The error for a path that names a model that does not exist. */
export function noSuchModel(): GatewayError {
  return new GatewayError('model_not_found', 'There is no such model. GET /v1/models lists all models.');
}

/** @param param the field that names the model */
export function wrongEndpoint(model: { id: string; capability: Capability }, param = 'model'): GatewayError {
  const message =
    `The model "${model.id}" is for ${model.capability}. ` +
    `Send it to ${CAPABILITY_ENDPOINTS[model.capability].join(' or ')}.`;
  return new GatewayError('wrong_endpoint', message, { param });
}

/** The error of a data plane that has just started and has no catalog yet. */
export function noCatalogYet(): GatewayError {
  const message = 'The gateway has no model catalog yet. Retry in a second.';
  return new GatewayError('control_plane_unavailable', message);
}

/** The error of a data plane that does not know the price list of an account yet. */
export function priceListUnknown(): GatewayError {
  const message = 'The gateway does not know the price list of this account yet. Retry in a second.';
  return new GatewayError('control_plane_unavailable', message);
}

/** The error while the circuit breakers of all the model's providers are open. */
export function modelUnavailable(modelId: string, cause?: unknown): GatewayError {
  const message = `The model "${modelId}" cannot be served at the moment. Retry later, or use another model.`;
  return new GatewayError('model_unavailable', message, { cause });
}

/** The error for a model without credentials. It has no `retry-after`, because waiting does not help. */
export function modelNotConfigured(modelId: string, cause: unknown): GatewayError {
  const message =
    `The model "${modelId}" is not configured: this gateway has no credential of its provider. ` +
    'Use another model, or ask the operator of the gateway to configure it.';
  const headers = { 'x-should-retry': 'false' };
  return new GatewayError('model_unavailable', message, { retryAfterSeconds: null, headers, cause });
}

/**
 * The error when every provider of the model refuses the gateway's credential. Unlike most outages, this does
 * not end within a second.
 */
export function modelRefusesGateway(modelId: string, cause: unknown): GatewayError {
  const message = `The provider of "${modelId}" does not accept the credential of this gateway. ${ONLY_THE_OPERATOR}`;
  const headers = { 'x-should-retry': 'false' };
  return new GatewayError('model_unavailable', message, { retryAfterSeconds: null, headers, cause });
}
