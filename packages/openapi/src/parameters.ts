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

export const ownRequestId = z
  .string()
  .max(128)
  .optional()
  .meta({
    description: 'Your own id for the request. It is logged, and sent back as `x-client-request-id`.',
    param: { name: 'x-request-id', in: 'header', id: 'x-request-id' },
  });
