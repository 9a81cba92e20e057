import { Prisma } from '@model-gateway/database';
import { encodeLevel, type Payer } from '@model-gateway/shared';
import { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';
import { poolChange } from './pool-change.ts';
import { type PoolOwner, type StoredPool, storedPool } from './stored-pool.ts';

export type { PoolOwner, StoredPool } from './stored-pool.ts';

export interface NewPool {
  id: string;
  name: string;
  owner: PoolOwner;
  /** Nano-USD, above 0; null: unlimited. */
  included: bigint | null;
  resets: 'monthly' | 'never';
  /** Undefined: never. */
  expiresAt?: Date | undefined;
}

const idRows = z.array(z.object({ id: z.string() }));
const accountRows = z.array(z.object({ accountId: z.string() }));

/**
 * Columns of pool `p` as lock_pools would set them: a pool past its month counts as full. Omits a reset after
 * the pool's expiry.
 */
export const AS_OF_NOW = Prisma.sql`
  p.id, p.name, p.owner, p.included, p.held, p.unlimited, p.created_at AS "createdAt",
  p.removed_at AS "removedAt", p.expires_at AS "expiresAt",
  CASE WHEN p.resets_at <= now() THEN p.included - p.held ELSE p.remaining END AS remaining,
  CASE WHEN p.resets_at <= now() THEN 0 ELSE p.charged END AS charged,
  nullif(
    least(CASE WHEN p.resets_at <= now() THEN next_month() ELSE p.resets_at END, p.expires_at), p.expires_at
  ) AS "resetsAt"`;
export const IN_USE = Prisma.sql`p.removed_at IS NULL AND coalesce(p.expires_at > now(), true)`;

/** More than any payer has. */
const MAX_LISTED = 1_000;
const MAX_LISTED_OF_TEAMS = 5_000;

export class PoolStore extends PrismaStore {
  /** @param pool its owner must exist */
  async add(actor: Actor, pool: NewPool): Promise<StoredPool> {
    return await this.prisma.$transaction(async (transaction) => {
      const added = await insertPool(transaction, pool);
      const accountId = await accountOfPool(transaction, added);
      await recordChange(transaction, actor, poolChange('pool.created', accountId, null, added));
      return added;
    });
  }

  /** Lists the pools that pay for a payer, in charging order. */
  async ofPayer(payer: Payer): Promise<StoredPool[]> {
    return await this.query(z.array(storedPool))`
      SELECT ${AS_OF_NOW} FROM payer_pools(${payer.map(encodeLevel)}::text[]) WITH ORDINALITY AS p
      WHERE ${IN_USE} ORDER BY p.ordinality LIMIT ${MAX_LISTED}`;
  }

  async find(id: string): Promise<StoredPool | null> {
    return await findPool(this.prisma, id);
  }

  /** Lists pools of teams and their seats (removed seats too) by team, in charging order. */
  async listOfTeams(teamIds: readonly string[]): Promise<Map<string, StoredPool[]>> {
    const rows = await this.query(z.array(storedPool.extend({ ofTeam: z.string() })))`
      WITH level (owner, of_team, place) AS (
        SELECT 'seat:' || id, team_id, 1 FROM seats WHERE team_id = ANY(${[...teamIds]}::text[])
        UNION ALL
        SELECT 'team:' || id, id, 2 FROM unnest(${[...teamIds]}::text[]) AS id
      )
      SELECT ${AS_OF_NOW}, level.of_team AS "ofTeam" FROM level JOIN pools p ON p.owner = level.owner
      WHERE ${IN_USE}
      ORDER BY level.place, p.unlimited, least(p.resets_at, p.expires_at) NULLS LAST, p.created_at, p.id
      LIMIT ${MAX_LISTED_OF_TEAMS}`;
    const byTeam = new Map<string, StoredPool[]>(teamIds.map((id) => [id, []]));
    for (const { ofTeam, ...pool } of rows) byTeam.get(ofTeam)?.push(pool);
    return byTeam;
  }

  /** Lists ids of a team's and its seats' pools, without those removed before a moment. */
  async idsOfTeam(teamId: string, before: Date): Promise<string[]> {
    return await this.#ids(
      Prisma.sql`
        VALUES (${encodeLevel({ kind: 'team', id: teamId })})
        UNION ALL SELECT 'seat:' || id FROM seats WHERE team_id = ${teamId}`,
      before,
    );
  }

  /** Lists ids of an account's, its teams' and their seats' pools, without those removed before a moment. */
  async idsOfAccount(accountId: string, before: Date): Promise<string[]> {
    const own = Prisma.sql`SELECT t.id FROM teams t WHERE t.owner_account_id = ${accountId}`;
    return await this.#ids(
      Prisma.sql`
        VALUES (${encodeLevel({ kind: 'account', id: accountId })})
        UNION ALL SELECT 'team:' || id FROM teams WHERE id IN (${own})
        UNION ALL SELECT 'seat:' || id FROM seats WHERE team_id IN (${own})`,
      before,
    );
  }

  async #ids(owners: Prisma.Sql, before: Date): Promise<string[]> {
    const rows = await this.prisma.$queryRaw`
      SELECT p.id FROM pools p
      WHERE p.owner IN (${owners}) AND (p.removed_at IS NULL OR p.removed_at >= ${before}) ORDER BY p.id`;
    return idRows.parse(rows).map(({ id }) => id);
  }
}

export async function findPool(
  client: Pick<Transaction, '$queryRaw'>,
  id: string,
): Promise<StoredPool | null> {
  const [pool] = await queryRows(client, z.array(storedPool))`
    SELECT ${AS_OF_NOW} FROM pools p WHERE p.id = ${id}`;
  return pool ?? null;
}

/** Finds the account of a pool: for a team or seat, the team's owner. @returns null: none is left */
export async function accountOfPool(transaction: Transaction, { owner }: StoredPool): Promise<string | null> {
  if (owner.kind === 'account') return owner.id;
  const [team] = await queryRows(transaction, accountRows)`
    SELECT owner_account_id AS "accountId" FROM teams
    WHERE id = ${owner.id} OR id = (SELECT team_id FROM seats WHERE id = ${owner.id})`;
  return team?.accountId ?? null;
}

export async function insertPool(
  client: Pick<Transaction, '$queryRaw'>,
  { id, name, owner, included, resets, expiresAt }: NewPool,
): Promise<StoredPool> {
  const [pool] = await queryRows(client, z.tuple([storedPool]))`
    WITH p AS (
      INSERT INTO pools (id, name, owner, included, remaining, unlimited, resets_at, expires_at)
      VALUES (
        ${id}, ${name}, ${encodeLevel(owner)}, ${included ?? 0n}::bigint, ${included ?? 0n}::bigint,
        ${included === null}, CASE WHEN ${resets === 'monthly'} THEN next_month() END,
        ${expiresAt ?? null}::timestamptz
      )
      RETURNING *
    ), entry AS (
      INSERT INTO ledger_entries (pool_id, kind, amount) SELECT id, 'included', ${included ?? 0n}::bigint FROM p
    )
    SELECT ${AS_OF_NOW} FROM p`;
  return pool;
}
