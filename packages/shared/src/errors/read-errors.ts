import { GatewayError } from './gateway-error.ts';

/** Errors of the GETs of models, status and usage. */

export function bodyNotWanted(): GatewayError {
  return new GatewayError('invalid_request', 'A GET request takes no body here. Send it without one.');
}

/** @param problem completes the sentence: "is given more than once" */
export function invalidQuery(param: string, problem: string): GatewayError {
  return new GatewayError('invalid_request', `The query parameter "${param}" ${problem}.`, { param });
}

/** @param reason the control plane's reason */
export function unanswerableQuery(reason: string): GatewayError {
  return new GatewayError('invalid_request', `The query cannot be answered: ${reason}.`);
}

export function receiptNotFound(): GatewayError {
  const message =
    'There is no receipt for this request id. Use the x-request-id of a request of your account or seat ' +
    'that was sent to a provider.';
  return new GatewayError('not_found', message, { param: 'request_id' });
}

export function usageUnreadable(cause?: unknown): GatewayError {
  const message = 'Usage cannot be read at the moment. No usage is lost: retry in a second.';
  return new GatewayError('control_plane_unavailable', message, { cause });
}

export function keyUnreadable(cause?: unknown): GatewayError {
  const message = 'The key cannot be read at the moment. It still works: retry in a second.';
  return new GatewayError('control_plane_unavailable', message, { cause });
}

/** The error of a catalog service that has just started and has no catalog yet. */
export function catalogNotArrived(): GatewayError {
  const message = 'The model catalog has not arrived from the control plane yet. Retry in a second.';
  return new GatewayError('control_plane_unavailable', message);
}

/** The error when the catalog service does not answer the data plane. */
export function catalogUnreachable(cause?: unknown): GatewayError {
  const message = 'The model catalog cannot be reached at the moment. Retry in a second.';
  return new GatewayError('control_plane_unavailable', message, { cause });
}
