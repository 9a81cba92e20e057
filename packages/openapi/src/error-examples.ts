import {
  CONCURRENT_STREAMS_PER_KEY,
  type ErrorCode,
  FREE_REQUESTS_PER_MINUTE,
  type GatewayError,
  MAX_JSON_BODY_BYTES,
} from '@model-gateway/shared';
import * as errors from '@model-gateway/shared/errors';

/** How far a request got before its error. This decides its headers about limits and the model. */
export type Stage =
  /** Nothing was counted yet. */
  | 'unlimited'
  /** A rate limit counted or refused it. (An invalid request with a known key counts as a read.) */
  | 'limited'
  /** It was sent to a provider. */
  | 'forwarded'
  /** Any of these. */
  | 'anywhere';

interface ErrorExample {
  statuses?: readonly number[];
  stage: Stage;
  summary: string;
  /** The usual error with this code. A route can show its own message instead. */
  error: GatewayError;
}

export const ERROR_EXAMPLES: Readonly<Record<ErrorCode, ErrorExample>> = {
  invalid_json: { stage: 'limited', summary: 'The body is not JSON.', error: errors.notJson() },
  invalid_request: {
    stage: 'anywhere',
    summary: 'The route does not accept this request.',
    error: errors.malformedRequest('Send a Host header.'),
  },
  wrong_endpoint: {
    stage: 'limited',
    summary: 'The model exists, but for another endpoint.',
    error: errors.wrongEndpoint({ id: 'acme/embed', capability: 'embeddings' }),
  },
  websocket_connection_limit_reached: {
    stage: 'unlimited',
    summary: 'Only over WebSocket: the connection ends, and its client connects again.',
    error: errors.connectionEnds('age'),
  },
  tag_required: {
    stage: 'limited',
    summary: 'The rules of the key require a tag that the request does not have.',
    error: errors.tagRequired('project'),
  },
  end_user_required: {
    stage: 'limited',
    summary: 'The rules of the key require an end user, and the request names none.',
    error: errors.endUserRequired(),
  },
  upstream_rejected: {
    statuses: [400, 413, 422],
    stage: 'forwarded',
    summary: "The provider rejected the request. The message is the provider's.",
    error: errors.providerRejected(400, 'temperature: must be at most 2'),
  },
  context_length_exceeded: {
    stage: 'forwarded',
    summary: 'The provider reports that the conversation exceeds the context window of the model.',
    error: errors.contextTooLong("This model's maximum context length is 8192 tokens."),
  },
  invalid_api_key: {
    stage: 'anywhere',
    summary: 'The key is missing, malformed, unknown or revoked.',
    error: errors.invalidKey(),
  },
  insufficient_balance: {
    stage: 'limited',
    summary: 'The balance does not cover the maximum cost of the request.',
    error: errors.insufficientBalance({
      neededNanoUsd: 12_000_000n,
      availableNanoUsd: 4_000_000n,
      heldNanoUsd: 0n,
      resetsAt: 1_798_761_600,
      fitsMaxTokens: 6_500,
    }),
  },
  model_not_allowed: {
    stage: 'limited',
    summary:
      'The rules of the key allow neither the model nor any of its fallbacks, or none of their providers.',
    error: errors.modelNotAllowed('the model "acme/large"', 'model'),
  },
  endpoint_not_allowed: {
    stage: 'limited',
    summary: 'The rules of the key do not allow this kind of request.',
    error: errors.endpointNotAllowed('images'),
  },
  network_not_allowed: {
    stage: 'limited',
    summary: 'The rules of the key do not allow requests from this address.',
    error: errors.networkNotAllowed('203.0.113.7'),
  },
  content_blocked: {
    stage: 'forwarded',
    summary: 'A guardrail blocked the request, or withheld the response.',
    error: errors.requestBlocked('company-policy', 'it names a customer'),
  },
  model_not_found: {
    stage: 'limited',
    summary: 'No model has this id or alias.',
    error: errors.modelNotFound('llama-9'),
  },
  not_found: {
    stage: 'anywhere',
    summary: 'The route or object does not exist.',
    error: errors.receiptNotFound(),
  },
  previous_response_not_found: {
    stage: 'limited',
    summary: 'The response does not exist, or belongs to another account.',
    error: errors.previousResponseNotFound('resp_1'),
  },
  upgrade_required: {
    stage: 'unlimited',
    summary: 'WebSocket is turned off.',
    error: errors.webSocketRefused(),
  },
  method_not_allowed: {
    stage: 'unlimited',
    summary: 'The path does not support this method.',
    error: errors.methodNotAllowed('DELETE', ['GET', 'HEAD']),
  },
  request_timeout: {
    stage: 'unlimited',
    summary: 'The client was too slow to send its request.',
    error: errors.requestTooSlow(),
  },
  idempotency_in_progress: {
    stage: 'limited',
    summary: 'The first request with this Idempotency-Key is still running.',
    error: errors.idempotencyInProgress(2_400),
  },
  idempotency_spent: {
    stage: 'limited',
    summary: 'The first request with this Idempotency-Key was charged, but its answer cannot be sent again.',
    error: errors.idempotencySpent('req_0aB1cD2eF3gH4iJ5kL6mN7oP', 'failed'),
  },
  idempotency_mismatch: {
    stage: 'limited',
    summary: 'This Idempotency-Key was used with another body.',
    error: errors.idempotencyMismatch(),
  },
  request_too_large: {
    stage: 'limited',
    summary: 'The body is too large.',
    error: errors.bodyTooLarge(MAX_JSON_BODY_BYTES),
  },
  unsupported_media_type: {
    stage: 'limited',
    summary: 'The route does not accept this Content-Type, charset or Content-Encoding.',
    error: errors.unsupportedBody('Send the body without Content-Encoding.'),
  },
  expectation_failed: {
    stage: 'unlimited',
    summary: 'The gateway does not support this Expect header.',
    error: errors.unknownExpectation(),
  },
  rate_limit_exceeded: {
    stage: 'limited',
    summary:
      'A rate limit of the key, team, end user or client address is reached: of requests or of tokens. The ' +
      'message names the limit. Without `retry-after`, the request may need more tokens than the whole limit.',
    error: errors.requestLimitReached('free', FREE_REQUESTS_PER_MINUTE, 3_000),
  },
  concurrent_streams_exceeded: {
    stage: 'limited',
    summary: 'The key has too many open streams.',
    error: errors.streamLimitReached(CONCURRENT_STREAMS_PER_KEY, 1_000),
  },
  upstream_rate_limited: {
    stage: 'forwarded',
    summary: "The provider's rate limit is reached. Retry-After comes from the provider.",
    error: errors.providerLimits(3),
  },
  headers_too_large: {
    stage: 'unlimited',
    summary: 'The headers or the URI are too large.',
    error: errors.headersTooLarge(32 * 1024),
  },
  internal_error: { stage: 'anywhere', summary: 'The gateway failed.', error: errors.internalError() },
  upstream_error: {
    stage: 'forwarded',
    summary:
      'The provider returned an error, reset the connection, or sent an unusable response, as the message ' +
      'says. After an error that would be the same again, the header `x-should-retry` is `false`.',
    error: errors.badGateway(undefined, { caller: 'answered 500' }),
  },
  control_plane_unavailable: {
    stage: 'anywhere',
    summary: 'The gateway cannot reach one of its own services.',
    error: errors.keysUncheckable(),
  },
  overloaded: {
    stage: 'anywhere',
    summary: 'The gateway is overloaded at the moment.',
    error: errors.tooManyLargeBodies(),
  },
  guardrail_unavailable: {
    stage: 'forwarded',
    summary: 'A guardrail could not check the request or its response.',
    error: errors.guardrailUnavailable('company-policy', undefined),
  },
  model_unavailable: {
    stage: 'forwarded',
    summary: 'No provider can serve the model at the moment.',
    error: errors.modelUnavailable('acme/small'),
  },
  upstream_timeout: {
    stage: 'forwarded',
    summary: 'The provider did not respond in time.',
    error: errors.providerTooSlow(),
  },
};
