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
  /** A limit has counted it, or was full. (An invalid request of a known key counts as a read.) */
  | 'limited'
  /** It was sent to a provider. */
  | 'forwarded'
  /** Any of these. */
  | 'anywhere';

interface ErrorExample {
  statuses?: readonly number[];
  stage: Stage;
  summary: string;
  /** The gateway's usual error with this code. A route with another message for the code shows its own. */
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
  upstream_rejected: {
    statuses: [400, 413, 422],
    stage: 'forwarded',
    summary: "The provider rejected the caller's request, in its own words.",
    error: errors.providerRejected(400, 'temperature: must be at most 2'),
  },
  context_length_exceeded: {
    stage: 'forwarded',
    summary: 'The provider says that the conversation is longer than its model can read.',
    error: errors.contextTooLong("This model's maximum context length is 8192 tokens."),
  },
  invalid_api_key: {
    stage: 'anywhere',
    summary: 'The key is missing, malformed, unknown or revoked.',
    error: errors.invalidKey(),
  },
  insufficient_balance: {
    stage: 'limited',
    summary: 'The included pools cannot cover the request.',
    error: errors.insufficientBalance({
      neededNanoUsd: 12_000_000n,
      availableNanoUsd: 4_000_000n,
      heldNanoUsd: 0n,
      resetsAt: 1_798_761_600,
      fitsMaxTokens: 6_500,
    }),
  },
  model_not_found: {
    stage: 'limited',
    summary: 'There is no such model.',
    error: errors.modelNotFound('acme/tiny'),
  },
  not_found: {
    stage: 'anywhere',
    summary: 'There is no such route or object.',
    error: errors.receiptNotFound(),
  },
  previous_response_not_found: {
    stage: 'limited',
    summary: 'There is no such response, or another account has it.',
    error: errors.previousResponseNotFound('resp_1'),
  },
  upgrade_required: {
    stage: 'unlimited',
    summary: 'WebSocket is not supported.',
    error: errors.webSocketRefused(),
  },
  method_not_allowed: {
    stage: 'unlimited',
    summary: 'The path is known, the method is not.',
    error: errors.methodNotAllowed('DELETE', ['GET', 'HEAD']),
  },
  request_timeout: {
    stage: 'unlimited',
    summary: 'The client was too slow to send its request.',
    error: errors.requestTooSlow(),
  },
  request_too_large: {
    stage: 'limited',
    summary: 'The body is too large.',
    error: errors.bodyTooLarge(MAX_JSON_BODY_BYTES),
  },
  unsupported_media_type: {
    stage: 'limited',
    summary: 'A Content-Type, charset or Content-Encoding that the route does not accept.',
    error: errors.unsupportedBody('Send the body without Content-Encoding.'),
  },
  expectation_failed: {
    stage: 'unlimited',
    summary: 'An unknown Expect header.',
    error: errors.unknownExpectation(),
  },
  rate_limit_exceeded: {
    stage: 'limited',
    summary:
      'A limit per key, team or client address is reached; the message names the limit and its models.',
    error: errors.requestLimitReached('free', FREE_REQUESTS_PER_MINUTE, 3_000),
  },
  concurrent_streams_exceeded: {
    stage: 'limited',
    summary: 'The key has too many open streams.',
    error: errors.streamLimitReached(CONCURRENT_STREAMS_PER_KEY, 1_000),
  },
  upstream_rate_limited: {
    stage: 'forwarded',
    summary: 'The provider is limiting requests; its Retry-After is passed on.',
    error: errors.providerLimits(3),
  },
  headers_too_large: {
    stage: 'unlimited',
    summary: 'The header block or the URI is too large.',
    error: errors.headersTooLarge(32 * 1024),
  },
  internal_error: { stage: 'anywhere', summary: 'The gateway failed.', error: errors.internalError() },
  upstream_error: {
    stage: 'forwarded',
    summary:
      'The provider refused, reset the connection, or sent an unusable response. If it does not ' +
      'accept the credential of the gateway, the message says that a retry does not help.',
    error: errors.badGateway(),
  },
  control_plane_unavailable: {
    stage: 'anywhere',
    summary: 'A part of the gateway that the request needs cannot be reached.',
    error: errors.keysUncheckable(),
  },
  overloaded: {
    stage: 'anywhere',
    summary: 'The gateway has no room for this request now.',
    error: errors.tooManyLargeBodies(),
  },
  model_unavailable: {
    stage: 'forwarded',
    summary: 'No provider can serve the model now.',
    error: errors.modelUnavailable('acme/small'),
  },
  upstream_timeout: {
    stage: 'forwarded',
    summary: 'The provider did not answer in time.',
    error: errors.providerTooSlow(),
  },
};
