import { type ErrorKind, ERROR_CODES as GATEWAY_CODES } from '@model-gateway/shared';

/** Every error code of the management API. Codes shared with the gateway have the same meaning. */
export const ERROR_CODES = {
  invalid_json: GATEWAY_CODES.invalid_json,
  invalid_request: GATEWAY_CODES.invalid_request,
  /** `invalid_api_key` for a key of another kind as well: clients know what to do with it. */
  invalid_api_key: GATEWAY_CODES.invalid_api_key,
  permission_denied: { status: 403, type: 'permission_denied' },
  network_not_allowed: GATEWAY_CODES.network_not_allowed,
  not_found: GATEWAY_CODES.not_found,
  method_not_allowed: GATEWAY_CODES.method_not_allowed,
  already_exists: { status: 409, type: 'invalid_request_error' },
  conflict: { status: 409, type: 'invalid_request_error' },
  idempotency_key_reused: { status: 409, type: 'invalid_request_error' },
  precondition_failed: { status: 412, type: 'invalid_request_error' },
  request_too_large: GATEWAY_CODES.request_too_large,
  unsupported_media_type: GATEWAY_CODES.unsupported_media_type,
  unknown_field: { status: 422, type: 'invalid_request_error' },
  invalid_prices: { status: 422, type: 'invalid_request_error' },
  precondition_required: { status: 428, type: 'invalid_request_error' },
  rate_limit_exceeded: GATEWAY_CODES.rate_limit_exceeded,
  internal_error: GATEWAY_CODES.internal_error,
  service_unavailable: { status: 503, type: 'service_unavailable' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERROR_CODES;
