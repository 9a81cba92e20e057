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
