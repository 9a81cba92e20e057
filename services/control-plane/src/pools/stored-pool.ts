import { decodeLevel, LEVEL_KINDS, type LevelKind, type PayerLevel } from '@model-gateway/shared';
import { z } from 'zod';

export interface PoolOwner extends PayerLevel {
  kind: LevelKind;
}

export const storedPool = z.object({
  id: z.string(),
  name: z.string(),
  owner: z
    .string()
    .transform(decodeLevel)
    .pipe(z.object({ kind: z.enum(LEVEL_KINDS), id: z.string() })),
  included: z.bigint(),
  remaining: z.bigint(),
  held: z.bigint(),
  charged: z.bigint(),
  /** True if the pool is never used up: then `included` and `remaining` have no meaning. */
  unlimited: z.boolean(),
  resetsAt: z.date().nullable(),
  expiresAt: z.date().nullable(),
  removedAt: z.date().nullable(),
  createdAt: z.date(),
});

/** A pool as it is now; amounts in nano-USD. */
export type StoredPool = z.infer<typeof storedPool>;
