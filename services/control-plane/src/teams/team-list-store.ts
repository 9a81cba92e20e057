import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { listOrder } from '../lists/list-order-store.ts';
import type { ListQuery } from '../lists/list-page.ts';
import { type StoredSeat, storedSeat } from './stored-seat.ts';
import { type StoredTeam, storedTeam } from './stored-team.ts';
import { TEAM_COLUMNS } from './team-store.ts';

export class TeamListStore extends ReadingStore {
  async ofOwner(ownerAccountId: string, query: ListQuery, signal: AbortSignal): Promise<StoredTeam[]> {
    const { isAfter, orderAndLimit } = listOrder('t', 'oldest', query);
    return await this.query(z.array(storedTeam), signal)`
      SELECT ${TEAM_COLUMNS} FROM teams t WHERE t.owner_account_id = ${ownerAccountId} AND ${isAfter} ${orderAndLimit}`;
  }

  async seatsOf(teamId: string, query: ListQuery, signal: AbortSignal): Promise<StoredSeat[]> {
    const { isAfter, orderAndLimit } = listOrder('s', 'newest', query);
    return await this.query(z.array(storedSeat), signal)`
      SELECT s.id, s.team_id AS "teamId", s.account_id AS "accountId", s.created_at AS "createdAt",
        s.removed_at AS "removedAt", s.external_id AS "externalId",
        json_build_object('email', a.email) AS account
      FROM seats s JOIN accounts a ON a.id = s.account_id
      WHERE s.team_id = ${teamId} AND ${isAfter} ${orderAndLimit}`;
  }
}
