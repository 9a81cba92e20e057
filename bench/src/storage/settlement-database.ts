import { createDatabase, createPrismaClient, databaseUrl, type PrismaClient } from '@model-gateway/database';
import { newId } from '@model-gateway/shared';
import { z } from 'zod';
import { OBSERVER } from './postgres-usage.ts';
import type { FundedAccount, PaidKey } from './settled-records.ts';

/** VACUUM after millions of records takes minutes. */
const MAX_QUERY_MS = 3_600_000;
const ROWS_AT_ONCE = 5_000;
/** The allowance of each payer, in nano-USD. No measurement exhausts it. */
const GRANTED = 1_000_000_000_000_000n;
/** The data plane that owns all allowances. */
const DATA_PLANE = 'bench';

/** The position of the write-ahead log and the size of the database, in bytes. */
export interface Volume {
  log: number;
  database: number;
}

const volumes = z.tuple([z.object({ log: z.number(), database: z.number() })]);
const paidKeys = z.array(z.object({ keyId: z.string(), accountId: z.string(), allowanceId: z.string() }));
const accounts = z.array(z.object({ accountId: z.string() }));
const signIns = z.tuple([z.object({ signInId: z.string() })]);
const widenings = z.tuple([z.object({ isMore: z.boolean() })]);
const counts = z.tuple([z.object({ count: z.bigint() })]);

/** A database for settled requests, as the benchmark prepares and reads it. */
export class SettlementDatabase implements AsyncDisposable {
  /** For the control plane. */
  readonly url: string;
  readonly #prisma: PrismaClient;
  /** Its work counts as the control plane's. */
  readonly #asControlPlane: PrismaClient;

  private constructor(url: string, observerUrl: string) {
    this.url = url;
    this.#asControlPlane = createPrismaClient(url, { maxConnections: 1, queryTimeoutMs: MAX_QUERY_MS });
    this.#prisma = createPrismaClient(observerUrl, { maxConnections: 1, queryTimeoutMs: MAX_QUERY_MS });
  }

  /** Creates it unless it exists. @param adminUrl of a superuser */
  static async open(adminUrl: string, name: string): Promise<SettlementDatabase> {
    const observer = new URL(databaseUrl(adminUrl, name));
    await createObserver(adminUrl, decodeURIComponent(observer.password));
    await createDatabase(adminUrl, name);
    observer.username = OBSERVER;
    return new SettlementDatabase(databaseUrl(adminUrl, name), observer.href);
  }

  /** Inserts accounts, each with a pool whose money is in one allowance of a data plane. */
  async insertPayers(count: number): Promise<FundedAccount[]> {
    await this.keepLease();
    const payers = Array.from({ length: count }, (_, index) => ({
      accountId: newId('acct'),
      allowanceId: `${DATA_PLANE}-${index}`,
    }));
    for (let from = 0; from < count; from += ROWS_AT_ONCE) {
      const part = payers.slice(from, from + ROWS_AT_ONCE);
      await this.#prisma.$executeRaw`
        WITH given AS (
          SELECT * FROM unnest(
            ${part.map(({ accountId }) => accountId)}::text[], ${part.map(() => newId('pool'))}::text[],
            ${part.map(({ allowanceId }) => allowanceId)}::text[]
          ) AS given (account, pool, allowance)
        ), new_accounts AS (
          INSERT INTO accounts (id, email, name)
          SELECT account, allowance || '@example.com', 'Bench' FROM given
        ), new_pools AS (
          INSERT INTO pools (id, name, owner, included, remaining, held)
          SELECT pool, 'Bench', 'account:' || account, ${GRANTED}, 0, ${GRANTED} FROM given
        ), new_allowances AS (
          INSERT INTO allowances (id, instance_id, payer, granted)
          SELECT allowance, ${DATA_PLANE}, ARRAY['account:' || account], ${GRANTED} FROM given
        ), new_parts AS (
          INSERT INTO allowance_parts (allowance_id, pool_id, held)
          SELECT allowance, pool, ${GRANTED} FROM given
        )
        INSERT INTO ledger_entries (pool_id, kind, amount) SELECT pool, 'included', ${GRANTED} FROM given`;
    }
    return payers;
  }

  /** Returns the keys of all accounts with an allowance. */
  async paidKeys(): Promise<PaidKey[]> {
    const rows = paidKeys.parse(
      await this.#prisma.$queryRaw`
        SELECT k.id AS "keyId", k.account_id AS "accountId", a.id AS "allowanceId"
        FROM api_keys k JOIN allowances a ON a.payer = ARRAY['account:' || k.account_id]`,
    );
    return rows.map(({ keyId, ...payer }) => ({ keyId, payer }));
  }

  /** Returns the accounts with an allowance, in a stable order. */
  async payers(): Promise<string[]> {
    const rows = accounts.parse(
      await this.#prisma
        .$queryRaw`SELECT DISTINCT split_part(payer[1], ':', 2) AS "accountId" FROM allowances ORDER BY 1`,
    );
    return rows.map(({ accountId }) => accountId);
  }

  /** Gives an account to a signed-up visitor of the dashboard, instead of their own. */
  async giveAccount(accountId: string, email: string): Promise<void> {
    const [{ signInId }] = signIns.parse(
      await this.#prisma.$queryRaw`SELECT sign_in_id AS "signInId" FROM accounts WHERE email = ${email}`,
    );
    await this.#prisma.$executeRaw`UPDATE accounts SET sign_in_id = NULL WHERE email = ${email}`;
    await this.#prisma.$executeRaw`UPDATE accounts SET sign_in_id = ${signInId} WHERE id = ${accountId}`;
  }

  /** Renews the data plane's lease for a day, so that the control plane does not take its allowances. */
  async keepLease(): Promise<void> {
    await this.#prisma.$executeRaw`
      INSERT INTO key_watchers (instance_id, control_plane_id, acked_revision, lease_until)
      VALUES (${DATA_PLANE}, 'bench', 0, now() + interval '1 day')
      ON CONFLICT (instance_id) DO UPDATE SET lease_until = EXCLUDED.lease_until`;
  }

  /** Adds ended minutes to the sums of hours and days, as control planes do every ten minutes. */
  async widen(): Promise<void> {
    const widenSome = async () =>
      widenings.parse(
        await this.#asControlPlane.$queryRaw`
          SELECT widen_rollups(greatest(1, extract(epoch FROM now() - min(bucket)) / 60 - 3)::int) AS "isMore"
          FROM usage_rollups, rollup_watermark WHERE width = 60 AND bucket >= until`,
      )[0].isMore;
    while (await widenSome());
  }

  /** Returns the requests of these accounts in the sums of usage, from the day of `since` on. */
  async summedUp(accountIds: readonly string[], since: Date): Promise<number> {
    const [{ count }] = counts.parse(
      await this.#prisma.$queryRaw`
        SELECT coalesce(sum(requests), 0)::bigint AS count FROM usage_rollups
        WHERE account_id = ANY(${[...accountIds]}::text[]) AND seat_id = '' AND width = 60
          AND bucket >= date_trunc('day', ${since}::timestamptz, 'UTC')`,
    );
    return Number(count);
  }

  /** Runs a statement of the benchmark's own; its parameters are $1, $2 and so on. */
  async execute(statement: string, ...values: readonly (number | readonly string[])[]): Promise<void> {
    await this.#prisma.$executeRawUnsafe(statement, ...values);
  }

  async volume(): Promise<Volume> {
    const [volume] = volumes.parse(
      await this.#prisma.$queryRaw`
        SELECT (pg_current_wal_lsn() - '0/0')::float8 AS log,
          pg_database_size(current_database())::float8 AS database`,
    );
    return volume;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#prisma.$disconnect();
    await this.#asControlPlane.$disconnect();
  }
}

/** Creates a superuser whose name marks the processes of the benchmark's own queries. */
async function createObserver(adminUrl: string, password: string): Promise<void> {
  const admin = createPrismaClient(adminUrl, { maxConnections: 1 });
  try {
    const roles = await admin.$queryRaw<unknown[]>`SELECT FROM pg_roles WHERE rolname = ${OBSERVER}`;
    if (roles.length > 0) return;
    // A statement of this kind takes no parameters; the password is base64url.
    await admin.$executeRawUnsafe(`CREATE ROLE ${OBSERVER} SUPERUSER LOGIN PASSWORD '${password}'`);
  } finally {
    await admin.$disconnect();
  }
}
