import { tags } from '@model-gateway/shared/rules';
import { z } from 'zod';
import { optionalTimestamp, timestamp } from '../timestamps.ts';
import { keyStatus } from './key-message.ts';
import type { StoredKey } from './stored-key.ts';

/** API key as the management API and audit events show it, without its secret. */
export const keyResourceSchema = z.object({
  object: z.literal('key'),
  id: z.string(),
  account_id: z.string(),
  seat_id: z.string().nullable(),
  member_id: z.string().nullable(),
  external_id: z.string().nullable(),
  name: z.string(),
  /** First 16 characters of the raw key. */
  prefix: z.string(),
  status: z.enum(['active', 'expired', 'revoked', 'suspended']),
  tags,
  /** Directives of `x-gateway-cache` for requests that send none; null: they do not use the cache. */
  cache: z.string().nullable(),
  created_at: timestamp,
  /** Null: never. Rules of its levels may end it earlier; `status` counts both. */
  expires_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
  /** Reason why it is stopped, such as `scim`. */
  stopped_by: z.string().nullable(),
  /** Id of the key that replaced it in a rotation. */
  replaced_by: z.string().nullable(),
});
export type KeyResource = z.infer<typeof keyResourceSchema>;

export function keyResource(key: StoredKey): KeyResource {
  return {
    object: 'key',
    id: key.id,
    account_id: key.accountId,
    seat_id: key.seatId,
    member_id: key.memberId,
    external_id: key.externalId,
    name: key.name,
    prefix: key.displayPrefix,
    status: keyStatus(key),
    tags: tags.nullable().parse(key.tags) ?? {},
    cache: key.cache,
    created_at: key.createdAt.toISOString(),
    expires_at: optionalTimestamp(key.expiresAt),
    revoked_at: optionalTimestamp(key.revokedAt),
    stopped_by: key.stoppedBy,
    replaced_by: key.replacedBy,
  };
}
