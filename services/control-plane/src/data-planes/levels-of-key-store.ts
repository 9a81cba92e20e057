import { Prisma } from '@model-gateway/database';

/**
 * Owners of the rules of a key `k` on a seat `s`, lowest first; null where it has no such level. A rotated
 * key has the rules of the first key of its rotations.
 */
export const LEVELS_OF_KEY = Prisma.sql`ARRAY[
  'key:' || coalesce(k.first_key_id, k.id), 'seat:' || k.seat_id, 'team:' || s.team_id,
  'account:' || k.account_id
]`;

/** Expiry of a key `k` on a seat `s` by rules; null: never. */
const RULES_EXPIRY = Prisma.sql`(
  SELECT min(
    CASE jsonb_typeof(l.rules -> 'expires_at')
      WHEN 'number' THEN to_timestamp((l.rules ->> 'expires_at')::float8)
      WHEN 'string' THEN (l.rules ->> 'expires_at')::timestamptz
    END
  )
  FROM rules l WHERE l.owner = ANY(${LEVELS_OF_KEY})
)`;

/** Expiry of a key `k` on a seat `s`, its own or by rules; null: never. */
export const EXPIRY_OF_KEY = Prisma.sql`least(k.expires_at, ${RULES_EXPIRY})`;

/** Expiry of a key `k` by rules, without a join of its seat. */
export const RULES_EXPIRY_OF_KEY = Prisma.sql`(
  SELECT ${RULES_EXPIRY} FROM (VALUES (true)) AS one LEFT JOIN seats s ON s.id = k.seat_id
)`;
