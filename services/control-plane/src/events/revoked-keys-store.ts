import { z } from 'zod';
import type { Change } from '../actors/change-guard.ts';
import { queryRows, type Transaction } from '../database/prisma-store.ts';
import { optionalTimestamp } from '../timestamps.ts';
import type { NewEvent } from './emit-event-store.ts';

const ended = z.object({ revoked_key_ids: z.array(z.string()) });
const time = z.date().nullable().transform(optionalTimestamp);
const revokedKeys = z.array(
  z.object({
    ...{ id: z.string(), account_id: z.string(), name: z.string(), prefix: z.string() },
    ...{ seat_id: z.string().nullable(), external_id: z.string().nullable() },
    created_at: z.date().transform((date) => date.toISOString()),
    ...{ expires_at: time, revoked_at: time },
  }),
);

/** Returns events of keys that were revoked with something else, such as a seat; none if nobody gets them. */
export async function eventsOfRevokedKeys(
  transaction: Transaction,
  changes: readonly Pick<Change, 'after'>[],
): Promise<NewEvent[]> {
  const ids = changes.flatMap(({ after }) => ended.safeParse(after).data?.revoked_key_ids ?? []);
  if (ids.length === 0) return [];
  const keys = await queryRows(transaction, revokedKeys)`
    SELECT id, account_id, name, display_prefix AS prefix, seat_id, external_id, created_at, expires_at,
      revoked_at
    FROM api_keys WHERE id = ANY(${[...new Set(ids)]}::text[])
      AND EXISTS (SELECT FROM webhook_endpoints WHERE 'key.revoked' = ANY(events))
    ORDER BY created_at, id`;
  return keys.map((key) => ({
    type: 'key.revoked',
    accountId: key.account_id,
    data: { ...key, status: 'revoked' },
  }));
}
