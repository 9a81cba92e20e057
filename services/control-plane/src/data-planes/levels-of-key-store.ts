import { Prisma } from '@model-gateway/database';

/**
 * Owners of the rules of a key `k` on a seat `s`, lowest first; null where it has no such level. A rotated
 * key has the rules of the first key of its rotations.
 */
export const LEVELS_OF_KEY = Prisma.sql`ARRAY[
  'key:' || coalesce(k.first_key_id, k.id), 'seat:' || k.seat_id, 'team:' || s.team_id,
  'account:' || k.account_id
]`;

/** Expiry of a key `k` on a seat `s`, its own or by rules; null: never. */
export const EXPIRY_OF_KEY = Prisma.sql`least(k.expires_at, (
  SELECT min(
    CASE jsonb_typeof(l.rules -> 'expires_at')
      WHEN 'number' THEN to_timestamp((l.rules ->> 'expires_at')::float8)
      WHEN 'string' THEN (l.rules ->> 'expires_at')::timestamptz
    END
  )
  FROM rules l WHERE l.owner = ANY(${LEVELS_OF_KEY})
))`;
