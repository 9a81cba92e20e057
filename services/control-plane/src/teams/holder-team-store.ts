import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import type { Visibility } from '../access/visibility.ts';
import { isMadeBy, usedKeyMadeBy } from '../access/visible-keys-store.ts';
import { ReadingStore } from '../database/reading-store.ts';
import { selectUsage, thisMonth } from '../roll-ups/usage-sums-store.ts';
import { storedSeat } from '../seats/stored-seat.ts';
import { type StoredTeam, storedTeam } from './stored-team.ts';
import { TEAM_COLUMNS } from './team-store.ts';

const holderSeat = storedSeat.extend({
  requestsThisMonth: z.bigint(),
  costThisMonth: z.bigint(),
  activeKeys: z.int(),
});

/** Active seat with its usage this month (UTC); cost in nano-USD. */
export type HolderSeat = z.infer<typeof holderSeat>;

const MAX_TEAMS = 1_000;
const MAX_SEATS = 2_000;

export class HolderTeamStore extends ReadingStore {
  async teamsOf(accountId: string, signal: AbortSignal): Promise<StoredTeam[]> {
    return await this.query(z.array(storedTeam), signal)`
      SELECT ${TEAM_COLUMNS} FROM teams t
      WHERE t.deleted_at IS NULL AND t.id IN (
        SELECT id FROM teams WHERE owner_account_id = ${accountId}
        UNION SELECT team_id FROM seats WHERE account_id = ${accountId} AND removed_at IS NULL
      )
      ORDER BY t.created_at, t.id LIMIT ${MAX_TEAMS}`;
  }

  /**
   * Lists up to 2,000 active seats of the account and, unless `ownOnly`, of its teams. Oldest first; cuts off
   * those of others. Counts visible keys and their usage.
   */
  async seatsSeenBy(
    { accountId, memberId }: Visibility,
    { ownOnly }: { ownOnly: boolean },
    signal: AbortSignal,
  ): Promise<HolderSeat[]> {
    return await this.query(z.array(holderSeat), signal)`
      SELECT s.id, s.team_id AS "teamId", s.account_id AS "accountId", s.created_at AS "createdAt",
        s.removed_at AS "removedAt", s.external_id AS "externalId",
        json_build_object('email', a.email) AS account,
        used.requests AS "requestsThisMonth", used.charged AS "costThisMonth", keys.count AS "activeKeys"
      FROM (
        SELECT * FROM seats
        WHERE removed_at IS NULL AND (
          account_id = ${accountId} OR (NOT ${ownOnly}::boolean AND team_id IN (
            SELECT id FROM teams WHERE owner_account_id = ${accountId}
          ))
        )
        ORDER BY account_id = ${accountId} DESC, created_at, id LIMIT ${MAX_SEATS}
      ) AS s
      JOIN accounts a ON a.id = s.account_id
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(u.requests), 0)::bigint AS requests,
          coalesce(sum(u.charged), 0)::bigint AS charged
        FROM (
          ${selectUsage({
            pieces: [thisMonth()],
            where: Prisma.sql`r.account_id = s.account_id AND r.seat_id = s.id AND ${usedKeyMadeBy({ memberId })}`,
            byKey: memberId !== undefined,
          })}
        ) AS u
      ) AS used
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS count FROM api_keys k
        WHERE k.seat_id = s.id AND ${isMadeBy('k', { memberId })} AND k.kind = 'issued' AND k.revoked_at IS NULL
          AND (k.expires_at IS NULL OR k.expires_at > now())
      ) AS keys
      ORDER BY s.created_at, s.id`;
  }
}
