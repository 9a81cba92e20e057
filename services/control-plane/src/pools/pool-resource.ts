import { formatUsd, LEVEL_KINDS } from '@model-gateway/shared';
import { z } from 'zod';
import { optionalTimestamp, timestamp } from '../timestamps.ts';
import type { StoredPool } from './stored-pool.ts';

/** Pool as the management API and audit events show it. Amounts are decimal US dollars. */
export const poolResourceSchema = z.object({
  object: z.literal('pool'),
  id: z.string(),
  owner: z.object({ kind: z.enum(LEVEL_KINDS), id: z.string() }),
  name: z.string(),
  unlimited: z.boolean(),
  /** Null: unlimited. */
  usd: z.string().nullable(),
  created_at: timestamp,
  /** Next reset; null: never. */
  resets_at: timestamp.nullable(),
  expires_at: timestamp.nullable(),
  removed_at: timestamp.nullable(),
});
export type PoolResource = z.infer<typeof poolResourceSchema>;

/** Leaves out what requests change: the money that is used, held and left. */
export function poolResource(pool: StoredPool): PoolResource {
  return {
    object: 'pool',
    id: pool.id,
    owner: pool.owner,
    name: pool.name,
    unlimited: pool.unlimited,
    usd: pool.unlimited ? null : formatUsd(pool.included),
    created_at: pool.createdAt.toISOString(),
    resets_at: optionalTimestamp(pool.resetsAt),
    expires_at: optionalTimestamp(pool.expiresAt),
    removed_at: optionalTimestamp(pool.removedAt),
  };
}
