import type { ErrorKind } from './public-error.ts';

/** Every code the gateway answers with, its status and its type (docs/errors.md, "Error codes"). */
export const ERROR_CODES = {
  invalid_json: { status: 400, type: 'invalid_request_error' },
  invalid_request: { status: 400, type: 'invalid_request_error' },
  wrong_endpoint: { status: 400, type: 'invalid_request_error' },
  // OpenAI's own code: clients that get it open another connection, and send the whole conversation.
  websocket_connection_limit_reached: { status: 400, type: 'invalid_request_error' },
  upstream_rejected: { status: 400, type: 'invalid_request_error' },
  // OpenAI's own code: agents that get it shorten the conversation.
  context_length_exceeded: { status: 400, type: 'invalid_request_error' },
  tag_required: { status: 400, type: 'invalid_request_error' },
  end_user_required: { status: 400, type: 'invalid_request_error' },
  // Without `x-should-retry`, some agents retry a refused key for minutes.
  invalid_api_key: {
    status: 401,
    type: 'invalid_api_key',
    headers: { 'www-authenticate': 'Bearer', 'x-should-retry': 'false' },
  },
  insufficient_balance: { status: 402, type: 'insufficient_balance' },
  model_not_allowed: { status: 403, type: 'permission_denied' },
  endpoint_not_allowed: { status: 403, type: 'permission_denied' },
  network_not_allowed: { status: 403, type: 'permission_denied' },
  // The same text is blocked again, so no client should repeat the request.
  content_blocked: { status: 403, type: 'permission_denied', headers: { 'x-should-retry': 'false' } },
  model_not_found: { status: 404, type: 'invalid_request_error' },
  not_found: { status: 404, type: 'invalid_request_error' },
  // OpenAI's own code: clients that get it start the conversation again.
  previous_response_not_found: { status: 404, type: 'invalid_request_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  request_timeout: { status: 408, type: 'invalid_request_error' },
  idempotency_in_progress: { status: 409, type: 'invalid_request_error' },
  idempotency_spent: { status: 409, type: 'invalid_request_error' },
  request_too_large: { status: 413, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  expectation_failed: { status: 417, type: 'invalid_request_error' },
  idempotency_mismatch: { status: 422, type: 'invalid_request_error' },
  upgrade_required: { status: 426, type: 'invalid_request_error' },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_exceeded' },
  concurrent_streams_exceeded: { status: 429, type: 'rate_limit_exceeded' },
  upstream_rate_limited: { status: 429, type: 'upstream_error' },
  headers_too_large: { status: 431, type: 'invalid_request_error' },
  internal_error: { status: 500, type: 'server_error' },
  upstream_error: { status: 502, type: 'upstream_error' },
  guardrail_unavailable: { status: 503, type: 'service_unavailable' },
  control_plane_unavailable: { status: 503, type: 'service_unavailable' },
  overloaded: { status: 503, type: 'service_unavailable' },
  model_unavailable: { status: 503, type: 'service_unavailable' },
  upstream_timeout: { status: 504, type: 'upstream_error' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERROR_CODES;
