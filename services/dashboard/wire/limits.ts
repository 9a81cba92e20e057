import { z } from 'zod';

/** GET /api/limits: the limits of the account's active keys. */
export const limitsResponse = z.object({
  keys: z.array(
    z.object({
      keyId: z.string(),
      name: z.string(),
      limits: z.array(
        z.object({
          name: z.enum([
            'key.free',
            'key.paid',
            'key.reads',
            'key.streams',
            'key-requests',
            'key-tokens',
            'team',
          ]),
          limit: z.number(),
          /** Null: the limit is on concurrency. */
          windowSeconds: z.number().nullable(),
          /** Null: unknown at the moment. */
          used: z.number().nullable(),
        }),
      ),
    }),
  ),
});
export type LimitsResponse = z.infer<typeof limitsResponse>;
