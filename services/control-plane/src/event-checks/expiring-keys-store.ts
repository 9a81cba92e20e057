import { z } from 'zod';
import { queryRows, type Transaction } from '../database/prisma-store.ts';
import { emitEvent } from '../events/emit-event-store.ts';
import { storeReportedStates } from '../events/reported-state-store.ts';
import { LISTED_KEY } from '../keys/key-list-store.ts';
import { keyResource } from '../keys/key-resource.ts';
import { storedKey } from '../keys/stored-key.ts';

const MAX_KEYS = 500;
/** Levels of reported states: more than a day is left, or at most one. */
const expiringKeys = z.array(z.object({ ...storedKey.shape, level: z.union([z.literal(1), z.literal(2)]) }));

/**
 * Stores an event for keys that expire within seven days, and again within one day, once for each expiry. A
 * key that was rotated is replaced already.
 */
export async function reportExpiringKeys(transaction: Transaction): Promise<void> {
  const keys = await queryRows(transaction, expiringKeys)`
    SELECT * FROM (
      SELECT ${LISTED_KEY}, CASE WHEN k.expires_at <= now() + interval '1 day' THEN 2 ELSE 1 END AS level
      FROM api_keys k
      WHERE k.expires_at > now() AND k.expires_at <= now() + interval '7 days'
        AND k.kind = 'issued' AND k.revoked_at IS NULL AND k.replaced_by IS NULL
    ) AS expiring
    WHERE NOT EXISTS (
      SELECT FROM reported_states s
      WHERE s.kind = 'key' AND s.id = expiring.id AND s.period = expiring."expiresAt" AND s.level >= expiring.level
    )
    ORDER BY "expiresAt" LIMIT ${MAX_KEYS}`;
  await storeReportedStates(
    transaction,
    keys.map(({ id, expiresAt, level }) => ({ kind: 'key', id, level, period: expiresAt })),
  );
  await emitEvent(
    transaction,
    ...keys.map((key) => ({
      type: 'key.expiring' as const,
      accountId: key.accountId,
      data: keyResource(key),
    })),
  );
}
