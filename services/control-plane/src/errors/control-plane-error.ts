export type ControlPlaneErrorCode =
  | 'not_found'
  | 'already_exists'
  | 'invalid_argument'
  | 'permission_denied'
  | 'failed_precondition'
  | 'aborted';

export class ControlPlaneError extends Error {
  override readonly name = 'ControlPlaneError';
  readonly code: ControlPlaneErrorCode;

  constructor(code: ControlPlaneErrorCode, publicMessage: string) {
    super(publicMessage);
    this.code = code;
  }
}

function errorOf(code: ControlPlaneErrorCode): (publicMessage: string) => ControlPlaneError {
  return (publicMessage) => new ControlPlaneError(code, publicMessage);
}

export const notFound = errorOf('not_found');
export const alreadyExists = errorOf('already_exists');
export const invalidArgument = errorOf('invalid_argument');
export const permissionDenied = errorOf('permission_denied');
export const failedPrecondition = errorOf('failed_precondition');
export const aborted = errorOf('aborted');
