import { z } from 'zod';

/** Request headers that several routes have. */

export const ifNoneMatch = z
  .string()
  .optional()
  .meta({
    description: 'The `etag` of your copy. The response is 304 if the content has not changed.',
    param: { name: 'if-none-match', in: 'header', id: 'if-none-match' },
  });

export const anthropicVersion = z
  .string()
  .optional()
  .meta({
    description:
      'The version of Anthropic\u2019s API. Only providers with that API get it. Default: 2023-06-01.',
    param: { name: 'anthropic-version', in: 'header', id: 'anthropic-version' },
    example: '2023-06-01',
  });

export const anthropicBeta = z
  .string()
  .optional()
  .meta({
    description: 'Beta features of Anthropic\u2019s API. Only providers with that API get them.',
    param: { name: 'anthropic-beta', in: 'header', id: 'anthropic-beta' },
  });

/** Headers that label a request to a model. */
export const labelHeaders = [
  header(
    'x-gateway-tags',
    'Tags for receipts and usage. The key\u2019s own tags win.',
    'project=alpha,env=prod',
  ),
  header('x-gateway-end-user', 'The end user, at most 128 characters. Wins over the body.', 'customer-42'),
  header('x-session-id', 'The session, at most 256 characters. Wins over the body.', 'conversation-7'),
];

/** Headers of a request that may be repeated. */
export const idempotencyKey = header(
  'idempotency-key',
  'Makes a retry safe: for 24 hours, the same key with the same body gets the answer to the first request again, ' +
    'without a second charge. 1 to 255 visible ASCII characters. Needs a gateway with Redis.',
  '0193f7a2-6f0c-7d3e-9b1a-5c2d8e4f6a7b',
);
export const cacheDirectives = header(
  'x-gateway-cache',
  'Reads the answer to an equal request from the cache of your account (`read`), stores the answer there (`write`), ' +
    'or both. `ttl` is the time in seconds for which it is stored, at most 604800; 3600 by default. `off`: neither. ' +
    'Without the header, the directives of the key apply, if it has any.',
  'read, write; ttl=3600',
);

function header(name: string, description: string, example: string) {
  return z
    .string()
    .optional()
    .meta({ description, param: { name, in: 'header', id: name }, example });
}

export const ownRequestId = z
  .string()
  .max(128)
  .optional()
  .meta({
    description: 'Your own id for the request. It is logged, and sent back as `x-client-request-id`.',
    param: { name: 'x-request-id', in: 'header', id: 'x-request-id' },
  });
