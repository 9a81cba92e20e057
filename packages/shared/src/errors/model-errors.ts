import type { Capability } from '../catalog/capability.ts';
import { CAPABILITY_ENDPOINTS } from '../catalog/capability-endpoints.ts';
import { GatewayError } from './gateway-error.ts';
import { ONLY_THE_OPERATOR } from './provider-errors.ts';

/** Of a request that names it. */
export function modelNotFound(asked: string): GatewayError {
  const message = `There is no model ${JSON.stringify(asked.slice(0, 200))}. GET /v1/models lists what there is.`;
  return new GatewayError('model_not_found', message, { param: 'model' });
}

/** Of a path that names it. */
export function noSuchModel(): GatewayError {
  return new GatewayError('model_not_found', 'There is no such model. GET /v1/models lists what there is.');
}

export function wrongEndpoint(model: { id: string; capability: Capability }): GatewayError {
  const message = `The model "${model.id}" is for ${model.capability}. Send it to ${CAPABILITY_ENDPOINTS[model.capability][0]}.`;
  return new GatewayError('wrong_endpoint', message, { param: 'model' });
}

/** Of a data plane that has only just started. */
export function noCatalogYet(): GatewayError {
  const message = 'The gateway has no model catalog yet. Retry in a second.';
  return new GatewayError('control_plane_unavailable', message);
}

/** All of its providers are left in peace for a while. */
export function modelUnavailable(modelId: string, cause?: unknown): GatewayError {
  const message = `The model "${modelId}" cannot be served at the moment.`;
  return new GatewayError('model_unavailable', message, { cause });
}

/** Nothing of this ends by waiting, so the answer advises nobody to. */
export function modelNotConfigured(modelId: string, cause: unknown): GatewayError {
  const message = `The model "${modelId}" is not configured: this gateway has no credential of its provider. Use another model, or ask the operator of the gateway to configure it.`;
  return new GatewayError('model_unavailable', message, { retryAfterSeconds: null, cause });
}

/** That every provider of it refuses our credential is not over in a second, as an outage usually is. */
export function modelRefusesGateway(modelId: string, cause: unknown): GatewayError {
  const message = `The provider of "${modelId}" does not accept the credential of this gateway. ${ONLY_THE_OPERATOR}`;
  const headers = { 'x-should-retry': 'false' };
  return new GatewayError('model_unavailable', message, { retryAfterSeconds: null, headers, cause });
}
