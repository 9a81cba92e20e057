/** The kinds of errors that callers see. The gRPC status follows from the kind (map-error.ts). */
export type ControlPlaneErrorCode =
  | 'not_found'
  | 'already_exists'
  | 'invalid_argument'
  | 'permission_denied'
  | 'failed_precondition'
  | 'aborted';

/** A refusal with a public message. Anything else that is thrown stays internal. */
export class ControlPlaneError extends Error {
  override readonly name = 'ControlPlaneError';
  readonly code: ControlPlaneErrorCode;

  constructor(code: ControlPlaneErrorCode, publicMessage: string) {
    super(publicMessage);
    this.code = code;
  }
}
