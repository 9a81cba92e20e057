/** Every code the dashboard's server answers with, its HTTP status and its type. */
export const ERROR_CODES = {
  invalid_json: { status: 400, type: 'invalid_request_error' },
  invalid_request: { status: 400, type: 'invalid_request_error' },
  /** Nobody is signed in. The site then goes to its sign-in page. */
  signed_out: { status: 401, type: 'authentication_error' },
  wrong_credentials: { status: 401, type: 'authentication_error' },
  permission_denied: { status: 403, type: 'permission_error' },
  /** An operator has suspended the account: nobody can sign in to it. */
  account_suspended: { status: 403, type: 'permission_error' },
  foreign_origin: { status: 403, type: 'permission_error' },
  sign_up_closed: { status: 403, type: 'permission_error' },
  sign_up_refused: { status: 409, type: 'invalid_request_error' },
  not_found: { status: 404, type: 'invalid_request_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  conflict: { status: 409, type: 'invalid_request_error' },
  request_too_large: { status: 413, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_exceeded' },
  internal_error: { status: 500, type: 'server_error' },
  service_unavailable: { status: 503, type: 'service_unavailable' },
} as const satisfies Record<string, { status: number; type: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;
