import {
  applyMigrations,
  createDatabase,
  createPrismaClient,
  databaseUrl,
  type PrismaClient,
} from '@model-gateway/database';
import { displayPrefix, generateApiKey, lookupHash, newId } from '@model-gateway/shared';

const ROWS_AT_ONCE = 5_000;
/** In nano-USD. No measurement exhausts it. */
const TEAM_POOL = 1_000_000_000_000_000n;
const TEAM_LIMIT = 1_000_000;

export interface KeyOwner {
  accountId: string;
  seatId: string | null;
}

/**
 * Inserts what would take minutes through the control plane: tens of thousands of keys. This is the only file
 * of the benchmark that knows the tables.
 */
export class GatewayDatabase implements AsyncDisposable {
  readonly url: string;
  readonly #prisma: PrismaClient;

  private constructor(url: string) {
    this.url = url;
    this.#prisma = createPrismaClient(url, { maxConnections: 2 });
  }

  /** Makes a migrated database of its own. @param adminUrl a Postgres whose user may create databases */
  static async create(adminUrl: string, name: string): Promise<GatewayDatabase> {
    await createDatabase(adminUrl, name);
    const url = databaseUrl(adminUrl, name);
    await applyMigrations(url);
    return new GatewayDatabase(url);
  }

  /** Opens one that is there and migrated. */
  static open(url: string): GatewayDatabase {
    return new GatewayDatabase(url);
  }

  /** @returns the raw keys, spread evenly over their owners */
  async insertKeys(count: number, owners: readonly KeyOwner[], pepper: string): Promise<string[]> {
    const rawKeys = Array.from({ length: count }, () => generateApiKey());
    for (let from = 0; from < count; from += ROWS_AT_ONCE) {
      const part = rawKeys.slice(from, from + ROWS_AT_ONCE);
      const ownerOf = part.map((_, index) => owners[(from + index) % owners.length]);
      await this.#prisma.$executeRaw`
        INSERT INTO api_keys (id, account_id, seat_id, name, lookup_hash, display_prefix)
        SELECT id, account_id, seat_id, 'bench', lookup_hash, display_prefix
        FROM unnest(
          ${part.map(() => newId('key'))}::text[], ${ownerOf.map((owner) => owner?.accountId)}::text[],
          ${ownerOf.map((owner) => owner?.seatId ?? null)}::text[],
          ${part.map((rawKey) => lookupHash(pepper, rawKey))}::text[], ${part.map(displayPrefix)}::text[]
        ) AS given (id, account_id, seat_id, lookup_hash, display_prefix)`;
    }
    await this.#prisma.$executeRaw`ANALYZE api_keys`;
    return rawKeys;
  }

  /** Inserts teams of one seat each, with a pool that nothing exhausts. */
  async insertTeams(count: number, accountId: string): Promise<KeyOwner[]> {
    const teams = Array.from({ length: count }, () => ({ team: newId('team'), seat: newId('seat') }));
    for (let from = 0; from < count; from += ROWS_AT_ONCE) {
      const part = teams.slice(from, from + ROWS_AT_ONCE);
      await this.#prisma.$executeRaw`
        WITH given AS (
          SELECT * FROM unnest(
            ${part.map(({ team }) => team)}::text[], ${part.map(({ seat }) => seat)}::text[],
            ${part.map(() => newId('pool'))}::text[]
          ) AS given (team, seat, pool)
        ), new_teams AS (
          INSERT INTO teams (id, owner_account_id, name, requests_per_minute)
          SELECT team, ${accountId}, 'bench', ${TEAM_LIMIT} FROM given
        ), new_seats AS (
          INSERT INTO seats (id, team_id, account_id) SELECT seat, team, ${accountId} FROM given
        ), new_pools AS (
          INSERT INTO pools (id, name, owner, included, remaining)
          SELECT pool, 'bench', 'team:' || team, ${TEAM_POOL}, ${TEAM_POOL} FROM given
        )
        INSERT INTO ledger_entries (pool_id, kind, amount) SELECT pool, 'included', ${TEAM_POOL} FROM given`;
    }
    return teams.map(({ seat }) => ({ accountId, seatId: seat }));
  }

  async usageRecords(): Promise<number> {
    return await this.#prisma.usageRecord.count();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#prisma.$disconnect();
  }
}
