import { z } from 'zod';

/** Request headers and parameters that several routes take. */

export const ifNoneMatch = z
  .string()
  .optional()
  .meta({
    description: 'The `etag` of your copy; the response is 304 if it is still the same.',
    param: { name: 'if-none-match', in: 'header', id: 'if-none-match' },
  });

export const anthropicVersion = z
  .string()
  .optional()
  .meta({
    description: 'The version of Anthropic\u2019s API, for providers with that API. Default: 2023-06-01.',
    param: { name: 'anthropic-version', in: 'header', id: 'anthropic-version' },
    example: '2023-06-01',
  });

export const anthropicBeta = z
  .string()
  .optional()
  .meta({
    description: 'Any beta features of Anthropic\u2019s API, for providers with that API.',
    param: { name: 'anthropic-beta', in: 'header', id: 'anthropic-beta' },
  });

export const ownRequestId = z
  .string()
  .max(128)
  .optional()
  .meta({
    description: "The client's own id, logged and sent back as `x-client-request-id`.",
    param: { name: 'x-request-id', in: 'header', id: 'x-request-id' },
  });
