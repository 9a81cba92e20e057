import { ControlPlaneError } from '../errors/control-plane-error.ts';

/** The same for a request of somebody else, so that nobody learns whether there is one. */
export function noReceipt(requestId: string): ControlPlaneError {
  return new ControlPlaneError(
    'not_found',
    `there is no receipt of ${requestId}: no provider got this request, or it has ended within the last seconds`,
  );
}
