import type { PrismaClient } from '@model-gateway/database';
import { z } from 'zod';

const holderTeam = z.object({
  id: z.string(),
  ownerAccountId: z.string(),
  name: z.string(),
  requestsPerMinute: z.number(),
  createdAt: z.date(),
});
const holderSeat = z.object({
  id: z.string(),
  teamId: z.string(),
  accountId: z.string(),
  account: z.object({ email: z.string() }),
  createdAt: z.date(),
  removedAt: z.null(),
  requestsThisMonth: z.bigint(),
  costThisMonth: z.bigint(),
  activeKeys: z.int(),
});

/** An active seat and what was used on it in this calendar month, UTC; the cost in nano-USD. */
export type HolderSeat = z.infer<typeof holderSeat>;

/** Teams as account holders see them. */
export class HolderTeamStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /** Those that the account owns, and those where it has a seat; oldest first. */
  async teamsOf(accountId: string): Promise<z.infer<typeof holderTeam>[]> {
    return z.array(holderTeam).parse(
      await this.#prisma.$queryRaw`
        SELECT t.id, t.owner_account_id AS "ownerAccountId", t.name, t.requests_per_minute AS "requestsPerMinute",
          t.created_at AS "createdAt"
        FROM teams t
        WHERE t.id IN (
          SELECT id FROM teams WHERE owner_account_id = ${accountId}
          UNION SELECT team_id FROM seats WHERE account_id = ${accountId} AND removed_at IS NULL
        )
        ORDER BY t.created_at, t.id`,
    );
  }

  /** The active seats that the account may see: all of its teams, and its own elsewhere; oldest first. */
  async seatsSeenBy(accountId: string): Promise<HolderSeat[]> {
    return z.array(holderSeat).parse(
      await this.#prisma.$queryRaw`
        SELECT s.id, s.team_id AS "teamId", s.account_id AS "accountId", s.created_at AS "createdAt",
          s.removed_at AS "removedAt", json_build_object('email', a.email) AS account,
          used.requests AS "requestsThisMonth", used.charged AS "costThisMonth", keys.count AS "activeKeys"
        FROM seats s
        JOIN accounts a ON a.id = s.account_id
        CROSS JOIN LATERAL (
          SELECT coalesce(sum(u.requests), 0)::bigint AS requests, coalesce(sum(u.charged), 0)::bigint AS charged
          FROM usage_rollups u
          WHERE u.account_id = s.account_id AND u.seat_id = s.id AND u.width = 86400
            AND u.bucket >= date_trunc('month', now(), 'UTC')
        ) AS used
        CROSS JOIN LATERAL (
          SELECT count(*)::int AS count FROM api_keys k
          WHERE k.seat_id = s.id AND k.kind = 'issued' AND k.revoked_at IS NULL
        ) AS keys
        WHERE s.removed_at IS NULL AND (
          s.account_id = ${accountId} OR s.team_id IN (SELECT id FROM teams WHERE owner_account_id = ${accountId})
        )
        ORDER BY s.created_at, s.id`,
    );
  }
}
