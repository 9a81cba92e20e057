import { Prisma, type PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import type { Payer } from '../billing/allowance-store.ts';

/** The owner of a pool. */
export interface PoolOwner {
  scope: 'account' | 'team' | 'seat';
  id: string;
}

export interface NewPool {
  id: string;
  name: string;
  owner: PoolOwner;
  /** Nano-USD, above 0. */
  included: bigint;
  resets: 'monthly' | 'never';
}

const storedPool = z.object({
  id: z.string(),
  name: z.string(),
  scope: z.enum(['account', 'team', 'seat']),
  ownerId: z.string(),
  included: z.bigint(),
  remaining: z.bigint(),
  held: z.bigint(),
  charged: z.bigint(),
  resetsAt: z.date().nullable(),
  removedAt: z.date().nullable(),
  createdAt: z.date(),
});

const idRows = z.array(z.object({ id: z.string() }));

/** A pool as it is now; amounts in nano-USD. */
export type StoredPool = z.infer<typeof storedPool>;

/**
 * The columns of a pool `p` with the values that the SQL function lock_pools would give them: a pool whose
 * month is over counts as full again.
 */
const AS_OF_NOW = Prisma.sql`
  p.id, p.name, p.included, p.held, p.created_at AS "createdAt", p.removed_at AS "removedAt",
  CASE WHEN p.account_id IS NOT NULL THEN 'account' WHEN p.team_id IS NOT NULL THEN 'team'
    ELSE 'seat' END AS scope,
  coalesce(p.account_id, p.team_id, p.seat_id) AS "ownerId",
  CASE WHEN p.resets_at <= now() THEN p.included - p.held ELSE p.remaining END AS remaining,
  CASE WHEN p.resets_at <= now() THEN 0 ELSE p.charged END AS charged,
  CASE WHEN p.resets_at <= now() THEN next_month() ELSE p.resets_at END AS "resetsAt"`;

/** More pools than any payer has. */
const MAX_LISTED = 1_000;
const MAX_LISTED_OF_TEAMS = 5_000;

/** Adds and reads pools in Postgres. Only the functions in prisma/functions move their money. */
export class PoolStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /** @param pool its owner exists */
  async add(pool: NewPool): Promise<StoredPool> {
    return await insertPool(this.#prisma, pool);
  }

  /** Lists the pools in use, in order of use. A seat's team's are not among them. */
  async listOf({ scope, id }: PoolOwner): Promise<StoredPool[]> {
    // The SQL function takes a seat and its team. The one that is not meant gets a value that matches
    // nothing.
    const payer = {
      account: Prisma.sql`${id}, NULL, NULL`,
      team: Prisma.sql`NULL, '', ${id}`,
      seat: Prisma.sql`NULL, ${id}, NULL`,
    }[scope];
    return await this.#inOrder(payer);
  }

  /** Lists the pools that pay for a payer, in the order in which they are used. */
  async ofPayer({ accountId, seatId, teamId }: Payer): Promise<StoredPool[]> {
    return await this.#inOrder(Prisma.sql`${accountId}, ${seatId}, ${teamId}`);
  }

  async find(id: string): Promise<StoredPool | null> {
    const rows = await this.#prisma.$queryRaw`SELECT ${AS_OF_NOW} FROM pools p WHERE p.id = ${id}`;
    return z.array(storedPool).parse(rows)[0] ?? null;
  }

  /** Lists, by team, the pools of teams and of their seats, removed ones included, in order of use. */
  async listOfTeams(teamIds: readonly string[]): Promise<Map<string, StoredPool[]>> {
    const rows = z.array(storedPool.extend({ ofTeam: z.string() })).parse(
      await this.#prisma.$queryRaw`
        SELECT ${AS_OF_NOW}, coalesce(p.team_id, s.team_id) AS "ofTeam"
        FROM pools p LEFT JOIN seats s ON s.id = p.seat_id
        WHERE p.removed_at IS NULL AND (
          p.team_id = ANY(${[...teamIds]}::text[])
          OR p.seat_id = ANY(ARRAY(SELECT id FROM seats WHERE team_id = ANY(${[...teamIds]}::text[])))
        )
        ORDER BY p.seat_id IS NULL, p.resets_at NULLS LAST, p.created_at, p.id LIMIT ${MAX_LISTED_OF_TEAMS}`,
    );
    const byTeam = new Map<string, StoredPool[]>(teamIds.map((id) => [id, []]));
    for (const { ofTeam, ...pool } of rows) byTeam.get(ofTeam)?.push(pool);
    return byTeam;
  }

  /**
   * Lists the ids of the pools of a team and of its seats (also removed seats) that were not removed before a
   * moment.
   */
  async idsOfTeam(teamId: string, before: Date): Promise<string[]> {
    return await this.#ids(Prisma.sql`
      (p.team_id = ${teamId} OR p.seat_id IN (SELECT s.id FROM seats s WHERE s.team_id = ${teamId}))
      AND (p.removed_at IS NULL OR p.removed_at >= ${before})`);
  }

  /**
   * Lists the ids of the pools of an account, its teams and their seats (also removed seats) that were not
   * removed before a moment.
   */
  async idsOfAccount(accountId: string, before: Date): Promise<string[]> {
    const own = Prisma.sql`SELECT t.id FROM teams t WHERE t.owner_account_id = ${accountId}`;
    return await this.#ids(Prisma.sql`
      (
        p.account_id = ${accountId} OR p.team_id IN (${own})
        OR p.seat_id IN (SELECT s.id FROM seats s WHERE s.team_id IN (${own}))
      ) AND (p.removed_at IS NULL OR p.removed_at >= ${before})`);
  }

  /** @param which a condition on a pool `p` */
  async #ids(which: Prisma.Sql): Promise<string[]> {
    const rows = await this.#prisma.$queryRaw`SELECT p.id FROM pools p WHERE ${which} ORDER BY p.id`;
    return idRows.parse(rows).map(({ id }) => id);
  }

  async #inOrder(payer: Prisma.Sql): Promise<StoredPool[]> {
    return z.array(storedPool).parse(
      await this.#prisma.$queryRaw`
        SELECT ${AS_OF_NOW} FROM payer_pools(${payer}) WITH ORDINALITY AS p
        WHERE p.removed_at IS NULL ORDER BY p.ordinality LIMIT ${MAX_LISTED}`,
    );
  }
}

/** Writes a pool and the ledger entry for the amount that it includes, in one statement. */
export async function insertPool(
  client: Pick<Prisma.TransactionClient, '$queryRaw'>,
  { id, name, owner, included, resets }: NewPool,
): Promise<StoredPool> {
  const ownerId = (scope: PoolOwner['scope']) => (owner.scope === scope ? owner.id : null);
  const [pool] = z.tuple([storedPool]).parse(
    await client.$queryRaw`
      WITH p AS (
        INSERT INTO pools (id, name, account_id, team_id, seat_id, included, remaining, resets_at)
        VALUES (
          ${id}, ${name}, ${ownerId('account')}, ${ownerId('team')}, ${ownerId('seat')},
          ${included}::bigint, ${included}::bigint, CASE WHEN ${resets === 'monthly'} THEN next_month() END
        )
        RETURNING *
      ), entry AS (
        INSERT INTO ledger_entries (pool_id, kind, amount) SELECT id, 'included', included FROM p
      )
      SELECT ${AS_OF_NOW} FROM p`,
  );
  return pool;
}
