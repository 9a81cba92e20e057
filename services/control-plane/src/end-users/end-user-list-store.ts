import { Prisma } from '@model-gateway/database';
import { endUserOwner } from '@model-gateway/shared/rules';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { thisMonth } from '../roll-ups/usage-sums-store.ts';
import { storedEndUser } from './stored-end-user.ts';

const listedEndUser = storedEndUser.extend({
  requestsThisMonth: z.bigint(),
  /** Nano-USD. */
  chargedThisMonth: z.bigint(),
});
/** End user with its usage of this month (UTC), without that of the last minute. */
export type ListedEndUser = z.infer<typeof listedEndUser>;

export interface EndUserListQuery {
  accountId: string;
  externalId?: string | undefined;
  /** Id of the last end user of the page before. */
  after?: string | undefined;
  limit: number;
}

export class EndUserListStore extends ReadingStore {
  /**
   * Lists end users that were added, have own rules, or have usage of this month, by id. Sums keep at most
   * 1,000 of a day apart.
   * @returns one more than the limit when another page follows
   */
  async list(query: EndUserListQuery, signal: AbortSignal): Promise<ListedEndUser[]> {
    const { accountId, after = '', externalId, limit } = query;
    const prefix = endUserOwner(accountId, '');
    const monthStart = new Date(thisMonth().start * 1_000);
    const isWanted = externalId === undefined ? Prisma.empty : Prisma.sql`AND e.external_id = ${externalId}`;
    return await this.query(z.array(listedEndUser), signal)`
      WITH used AS (
        SELECT value AS id, sum(requests)::bigint AS requests, sum(charged)::bigint AS charged
        FROM usage_label_days
        WHERE account_id = ${accountId} AND label = 'end_user' AND bucket >= ${monthStart} AND value <> ''
        GROUP BY 1
      ), ruled AS (
        SELECT substr(owner, ${prefix.length + 1}) AS id FROM rules WHERE starts_with(owner, ${prefix})
      ), known AS (
        SELECT id FROM used UNION SELECT id FROM ruled UNION SELECT id FROM end_users WHERE account_id = ${accountId}
      )
      SELECT known.id, ${accountId} AS "accountId", e.external_id AS "externalId", e.created_at AS "createdAt",
        ruled.id IS NOT NULL AS "hasRules", coalesce(used.requests, 0)::bigint AS "requestsThisMonth",
        coalesce(used.charged, 0)::bigint AS "chargedThisMonth"
      FROM known LEFT JOIN used USING (id) LEFT JOIN ruled USING (id)
      LEFT JOIN end_users e ON e.account_id = ${accountId} AND e.id = known.id
      WHERE known.id COLLATE "C" > ${after} ${isWanted}
      ORDER BY known.id COLLATE "C" LIMIT ${limit + 1}`;
  }
}
