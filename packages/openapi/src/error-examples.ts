/**
 * Each code with its status, its type and an answer as a caller may see it. Source: wire format, "Errors".
 */

/**
 * How far a request got before it ended with an error. This decides which headers about limits and the model
 * the answer has.
 */
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
  statuses: readonly number[];
  type: string;
  stage: Stage;
  summary: string;
  message: string;
  param?: string;
}

const REQUEST = 'invalid_request_error';

export const ERROR_EXAMPLES = {
  invalid_json: {
    statuses: [400],
    type: REQUEST,
    stage: 'limited',
    summary: 'The body is not JSON.',
    message: 'The body is not valid JSON. Send one JSON object.',
  },
  invalid_request: {
    statuses: [400],
    type: REQUEST,
    stage: 'anywhere',
    summary: 'The request is not what the route takes.',
    message: 'model: is required.',
    param: 'model',
  },
  wrong_endpoint: {
    statuses: [400],
    type: REQUEST,
    stage: 'limited',
    summary: 'The model exists, but for another endpoint.',
    message: 'acme/small is an embeddings model. Use /v1/embeddings.',
    param: 'model',
  },
  upstream_rejected: {
    statuses: [400, 413, 422],
    type: REQUEST,
    stage: 'forwarded',
    summary: "The provider rejected the caller's request, in its own words.",
    message: "This model's maximum context length is 8192 tokens.",
  },
  invalid_api_key: {
    statuses: [401],
    type: 'invalid_api_key',
    stage: 'anywhere',
    summary: 'The key is missing, malformed, unknown or revoked.',
    message: 'The API key is not valid. Send an active key as "Authorization: Bearer <key>".',
  },
  insufficient_balance: {
    statuses: [402],
    type: 'insufficient_balance',
    stage: 'limited',
    summary: 'The included pools cannot cover the request.',
    message:
      'This request may cost up to 0.012 USD, and the balance has 0.004 USD left. Set max_tokens to at most 6500, or wait until it resets.',
  },
  model_not_found: {
    statuses: [404],
    type: REQUEST,
    stage: 'limited',
    summary: 'There is no such model.',
    message: 'There is no such model. GET /v1/models lists what there is.',
    param: 'model',
  },
  not_found: {
    statuses: [404],
    type: REQUEST,
    stage: 'anywhere',
    summary: 'There is no such route or object.',
    message: 'There is no such request. Its id stands in the x-request-id header of its answer.',
  },
  method_not_allowed: {
    statuses: [405],
    type: REQUEST,
    stage: 'unlimited',
    summary: 'The path is known, the method is not.',
    message: 'DELETE is not allowed here. Use GET, HEAD.',
  },
  request_timeout: {
    statuses: [408],
    type: REQUEST,
    stage: 'unlimited',
    summary: 'The client was too slow to send its request.',
    message: 'The request did not arrive in time. Send it faster.',
  },
  request_too_large: {
    statuses: [413],
    type: REQUEST,
    stage: 'limited',
    summary: 'The body is over the cap.',
    message: 'The request body may have at most 20971520 bytes.',
  },
  unsupported_media_type: {
    statuses: [415],
    type: REQUEST,
    stage: 'limited',
    summary: 'A Content-Type, charset or Content-Encoding that the route does not take.',
    message: 'Send the body with "Content-Type: application/json".',
  },
  expectation_failed: {
    statuses: [417],
    type: REQUEST,
    stage: 'unlimited',
    summary: 'An unknown Expect header.',
    message: 'Send no Expect header other than 100-continue.',
  },
  rate_limit_exceeded: {
    statuses: [429],
    type: 'rate_limit_exceeded',
    stage: 'limited',
    summary: 'A limit per key, team or client address; the message names which, and which models it is for.',
    message: 'The limit of this API key is 60 requests per minute to free models. Retry in 3 s.',
  },
  concurrent_streams_exceeded: {
    statuses: [429],
    type: 'rate_limit_exceeded',
    stage: 'limited',
    summary: 'The cap of open streams.',
    message:
      'This API key may have at most 10 concurrent streams, of all chat models together. Let one end first.',
  },
  upstream_rate_limited: {
    statuses: [429],
    type: 'upstream_error',
    stage: 'forwarded',
    summary: 'The provider is limiting requests; its Retry-After is passed on.',
    message: 'The model provider is limiting requests at the moment. Retry later.',
  },
  headers_too_large: {
    statuses: [431],
    type: REQUEST,
    stage: 'unlimited',
    summary: 'The header block or the URI is too large.',
    message: 'Header block and URI may have at most 32768 bytes.',
  },
  internal_error: {
    statuses: [500],
    type: 'server_error',
    stage: 'anywhere',
    summary: 'The gateway failed.',
    message: 'The gateway failed on this request. Retry it, and report the request id if it happens again.',
  },
  upstream_error: {
    statuses: [502],
    type: 'upstream_error',
    stage: 'forwarded',
    summary:
      'The provider refused, reset the connection, or answered something unusable. Where it does not accept the ' +
      'credential of the gateway, the message says that no retry helps.',
    message: 'The model provider failed to answer properly. Retry the request.',
  },
  control_plane_unavailable: {
    statuses: [503],
    type: 'service_unavailable',
    stage: 'anywhere',
    summary: 'A part of the gateway that the answer needs cannot be reached.',
    message: 'The gateway cannot check this key at the moment. Retry in a second.',
  },
  overloaded: {
    statuses: [503],
    type: 'service_unavailable',
    stage: 'anywhere',
    summary: 'The gateway has no room for this request now.',
    message:
      'Too many large requests of this API key, its account, or all together are on their way. Retry in a second.',
  },
  model_unavailable: {
    statuses: [503],
    type: 'service_unavailable',
    stage: 'forwarded',
    summary: 'No provider can serve the model now.',
    message: 'No provider can serve this model at the moment. Retry in a second.',
  },
  upstream_timeout: {
    statuses: [504],
    type: 'upstream_error',
    stage: 'forwarded',
    summary: 'The provider did not answer in time.',
    message: 'The model provider did not answer in time. Retry the request.',
  },
} as const satisfies Record<string, ErrorExample>;

export type DocumentedCode = keyof typeof ERROR_EXAMPLES;

const figures = {
  needed_usd: '0.012000000',
  available_usd: '0.004000000',
  held_usd: '0.000000000',
  resets_at: 1798761600,
  max_tokens: 6500,
};

/** The error envelope with this code, as the document shows it. */
export function exampleBody(code: DocumentedCode): object {
  const example: ErrorExample = ERROR_EXAMPLES[code];
  return {
    error: {
      message: example.message,
      type: example.type,
      code,
      param: example.param ?? null,
      request_id: 'req_0aB1cD2eF3gH4iJ5kL6mN7oP',
      ...(code === 'insufficient_balance' ? figures : {}),
    },
  };
}
