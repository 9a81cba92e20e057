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
