import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import type { Visibility } from '../access/visibility.ts';
import { isMadeBy } from '../access/visible-keys-store.ts';
import { ReadingStore } from '../database/reading-store.ts';
import { settledSince } from '../partitions/arrival-store.ts';
import { selectUsage, thisMonth } from '../roll-ups/usage-sums-store.ts';
import { LISTED_KEY } from './key-list-store.ts';
import { storedKey } from './stored-key.ts';

const holderKey = storedKey.extend({
  teamId: z.string().nullable(),
  teamName: z.string().nullable(),
  lastUsedAt: z.date().nullable(),
  requestsThisMonth: z.bigint(),
});

export type HolderKey = z.infer<typeof holderKey>;

/** Twice as many as can be active (MAX_HOLDER_KEYS of create-holder-key.ts). */
const MAX_LISTED = 1_000;
/** For keys used this recently, skips the partitions of earlier days. */
const LATELY_MS = 86_400_000;

export class HolderKeyListStore extends ReadingStore {
  /**
   * Lists up to 1,000 visible keys without hidden ones: active first, newest first, with usage of this month
   * (UTC).
   */
  async list(visible: Visibility, signal: AbortSignal): Promise<HolderKey[]> {
    return z.array(holderKey).parse(await this.reads.query(holderKeysStatement(visible), signal));
  }
}

/** Exported for the test that reads its query plan: one index look-up for each key. */
export function holderKeysStatement({ accountId, memberId }: Visibility): Prisma.Sql {
  return Prisma.sql`
    SELECT ${LISTED_KEY}, t.id AS "teamId", t.name AS "teamName",
      coalesce(lately.ended_at, earlier.ended_at) AS "lastUsedAt", coalesce(this_month.requests, 0)::bigint AS "requestsThisMonth"
    FROM (
      SELECT * FROM api_keys
      WHERE account_id = ${accountId} AND kind <> 'playground' AND ${isMadeBy('api_keys', { memberId })}
      ORDER BY revoked_at IS NOT NULL, created_at DESC, id LIMIT ${MAX_LISTED}
    ) AS k
    LEFT JOIN seats s ON s.id = k.seat_id
    LEFT JOIN teams t ON t.id = s.team_id
    LEFT JOIN LATERAL (
      SELECT r.ended_at FROM usage_records r
      WHERE r.key_id = k.id AND ${settledSince(Date.now() - LATELY_MS)} ORDER BY r.ended_at DESC LIMIT 1
    ) AS lately ON true
    LEFT JOIN LATERAL (
      SELECT r.ended_at FROM usage_records r WHERE r.key_id = k.id ORDER BY r.ended_at DESC LIMIT 1
    ) AS earlier ON lately.ended_at IS NULL
    LEFT JOIN (
      SELECT key_id, sum(requests) AS requests
      FROM (
        ${selectUsage({
          pieces: [thisMonth()],
          where: Prisma.sql`r.account_id = ${accountId}
            AND r.seat_id = ANY(ARRAY(SELECT id FROM seats WHERE account_id = ${accountId}) || ''::text)`,
          byKey: true,
        })}
      ) AS u
      GROUP BY key_id
    ) AS this_month ON this_month.key_id = k.id
    ORDER BY k.revoked_at IS NOT NULL, k.created_at DESC, k.id`;
}
