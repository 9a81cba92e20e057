import { type ErrorKind, ERROR_CODES as GATEWAY_CODES } from '@model-gateway/shared';

/** Every error code of the dashboard's server. Codes shared with the gateway have the same meaning. */
export const ERROR_CODES = {
  invalid_json: GATEWAY_CODES.invalid_json,
  invalid_request: GATEWAY_CODES.invalid_request,
  /** The site reacts by opening its sign-in page. */
  signed_out: { status: 401, type: 'authentication_error' },
  wrong_credentials: { status: 401, type: 'authentication_error' },
  /** The sign-in has waited too long for its second step, or had too many wrong codes. */
  sign_in_ended: { status: 401, type: 'authentication_error' },
  permission_denied: { status: 403, type: 'permission_error' },
  /** The site reacts by asking for a password, code or passkey, and repeats the request. */
  reauthentication_required: { status: 403, type: 'permission_error' },
  /** An operator has suspended the account: nobody can sign in to it. */
  account_suspended: { status: 403, type: 'permission_error' },
  foreign_origin: { status: 403, type: 'permission_error' },
  sign_up_closed: { status: 403, type: 'permission_error' },
  sign_up_refused: { status: 409, type: 'invalid_request_error' },
  /** The operator allows addresses of other domains only. */
  address_not_allowed: { status: 403, type: 'permission_error' },
  /** The identity provider sent no address. */
  address_missing: { status: 403, type: 'permission_error' },
  address_not_verified: { status: 403, type: 'permission_error' },
  /** The address belongs to another identity provider. */
  sign_in_elsewhere: { status: 403, type: 'permission_error' },
  not_found: GATEWAY_CODES.not_found,
  method_not_allowed: GATEWAY_CODES.method_not_allowed,
  conflict: { status: 409, type: 'invalid_request_error' },
  request_too_large: GATEWAY_CODES.request_too_large,
  unsupported_media_type: GATEWAY_CODES.unsupported_media_type,
  rate_limit_exceeded: GATEWAY_CODES.rate_limit_exceeded,
  internal_error: GATEWAY_CODES.internal_error,
  service_unavailable: { status: 503, type: 'service_unavailable' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERROR_CODES;
