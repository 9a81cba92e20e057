import { z } from 'zod';

/** Request headers and parameters that several routes take. */

export const ifNoneMatch = z
  .string()
  .optional()
  .meta({
    description: 'The `etag` of a copy; 304 when it is still the same.',
    param: { name: 'if-none-match', in: 'header', id: 'if-none-match' },
  });

export const ownRequestId = z
  .string()
  .max(128)
  .optional()
  .meta({
    description: "The client's own id, logged and sent back as `x-client-request-id`.",
    param: { name: 'x-request-id', in: 'header', id: 'x-request-id' },
  });
