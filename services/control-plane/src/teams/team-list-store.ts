import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { listOrder } from '../lists/list-order-store.ts';
import type { ListQuery } from '../lists/list-page.ts';
import { type StoredSeat, storedSeat } from '../seats/stored-seat.ts';
import { type StoredTeam, storedTeam } from './stored-team.ts';
import { TEAM_COLUMNS } from './team-store.ts';

/** Columns of a row `s` of seats, as storedSeat has them. Postgres reads addresses for rows of the page. */
const SEAT_COLUMNS = Prisma.sql`
  s.id, s.team_id AS "teamId", s.account_id AS "accountId", s.created_at AS "createdAt",
  s.removed_at AS "removedAt", s.external_id AS "externalId",
  json_build_object('email', (SELECT a.email FROM accounts a WHERE a.id = s.account_id)) AS account`;

/** Undefined members match every team. */
export interface TeamFilter {
  /** Owner. */
  accountId: string | undefined;
  externalId: string | undefined;
}

/** Undefined members match every seat. */
export interface SeatFilter extends TeamFilter {
  teamId: string | undefined;
}

export class TeamListStore extends ReadingStore {
  async ofOwner(ownerAccountId: string, query: ListQuery, signal: AbortSignal): Promise<StoredTeam[]> {
    const { isAfter, orderAndLimit } = listOrder('t', 'oldest', query);
    return await this.query(z.array(storedTeam), signal)`
      SELECT ${TEAM_COLUMNS} FROM teams t WHERE t.owner_account_id = ${ownerAccountId} AND ${isAfter} ${orderAndLimit}`;
  }

  /** Lists teams that are not deleted, newest first. */
  async page(filter: TeamFilter, query: ListQuery, signal: AbortSignal): Promise<StoredTeam[]> {
    const { accountId = null, externalId = null } = filter;
    const { isAfter, orderAndLimit } = listOrder('t', 'newest', query);
    return await this.query(z.array(storedTeam), signal)`
      SELECT ${TEAM_COLUMNS} FROM teams t
      WHERE t.deleted_at IS NULL AND (${accountId}::text IS NULL OR t.owner_account_id = ${accountId})
        AND (${externalId}::text IS NULL OR t.external_id = ${externalId}) AND ${isAfter} ${orderAndLimit}`;
  }

  /** Lists seats that are not removed, newest first. */
  async seatPage(filter: SeatFilter, query: ListQuery, signal: AbortSignal): Promise<StoredSeat[]> {
    const { accountId, externalId = null, teamId = null } = filter;
    const { isAfter, orderAndLimit } = listOrder('s', 'newest', query);
    const isOwned =
      accountId === undefined
        ? Prisma.empty
        : Prisma.sql`AND s.team_id IN (SELECT t.id FROM teams t WHERE t.owner_account_id = ${accountId})`;
    return await this.query(z.array(storedSeat), signal)`
      SELECT ${SEAT_COLUMNS} FROM seats s
      WHERE s.removed_at IS NULL AND (${teamId}::text IS NULL OR s.team_id = ${teamId}) ${isOwned}
        AND (${externalId}::text IS NULL OR s.external_id = ${externalId}) AND ${isAfter} ${orderAndLimit}`;
  }

  async seatsOf(teamId: string, query: ListQuery, signal: AbortSignal): Promise<StoredSeat[]> {
    const { isAfter, orderAndLimit } = listOrder('s', 'newest', query);
    return await this.query(z.array(storedSeat), signal)`
      SELECT ${SEAT_COLUMNS} FROM seats s
      WHERE s.team_id = ${teamId} AND ${isAfter} ${orderAndLimit}`;
  }
}
