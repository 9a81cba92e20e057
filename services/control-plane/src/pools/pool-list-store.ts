import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { listOrder } from '../lists/list-order-store.ts';
import type { ListQuery } from '../lists/list-page.ts';
import { AS_OF_NOW, IN_USE } from './pool-store.ts';
import { type StoredPool, storedPool } from './stored-pool.ts';

/** Conditions on pools. Undefined members match every pool. */
export interface PoolFilter {
  /** Matches pools of the account, its teams and their seats. */
  accountId?: string | undefined;
  teamId?: string | undefined;
  seatId?: string | undefined;
}

export class PoolListStore extends ReadingStore {
  /** Lists pools in use, newest first. */
  async list(filter: PoolFilter, query: ListQuery, signal: AbortSignal): Promise<StoredPool[]> {
    const { isAfter, orderAndLimit } = listOrder('p', 'newest', query);
    return await this.query(z.array(storedPool), signal)`
      SELECT ${AS_OF_NOW} FROM pools p WHERE ${isOwned(filter)} AND ${IN_USE} AND ${isAfter} ${orderAndLimit}`;
  }

  /** Sums up, in nano-USD, what is left of the limited pools. */
  async left(filter: PoolFilter, signal: AbortSignal): Promise<bigint> {
    const [{ left }] = await this.query(z.tuple([z.object({ left: z.bigint() })]), signal)`
      SELECT coalesce(sum(p.remaining + p.held), 0)::bigint AS left
      FROM (SELECT ${AS_OF_NOW} FROM pools p WHERE ${isOwned(filter)} AND ${IN_USE}) AS p WHERE NOT p.unlimited`;
    return left;
  }
}

function isOwned({ accountId, seatId, teamId }: PoolFilter): Prisma.Sql {
  const conditions = [Prisma.sql`true`];
  if (seatId !== undefined) conditions.push(Prisma.sql`p.owner = ${`seat:${seatId}`}`);
  if (teamId !== undefined) conditions.push(Prisma.sql`p.owner = ${`team:${teamId}`}`);
  if (accountId !== undefined) {
    const teams = Prisma.sql`SELECT t.id FROM teams t WHERE t.owner_account_id = ${accountId}`;
    conditions.push(Prisma.sql`p.owner IN (
      SELECT ${`account:${accountId}`}
      UNION ALL SELECT 'team:' || id FROM (${teams}) AS team
      UNION ALL SELECT 'seat:' || s.id FROM seats s WHERE s.team_id IN (${teams})
    )`);
  }
  return Prisma.join(conditions, ' AND ');
}
