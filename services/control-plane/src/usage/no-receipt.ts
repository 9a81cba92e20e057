import { type ControlPlaneError, notFound } from '../errors/control-plane-error.ts';

/** Same error for another owner's request, so that nobody learns that it exists. */
export function noReceipt(requestId: string): ControlPlaneError {
  return notFound(
    `there is no receipt of ${requestId}: no provider got this request, ` +
      'or it has ended within the last seconds',
  );
}
