import {
  applyMigrations,
  createDatabase,
  createPrismaClient,
  databaseUrl,
  type PrismaClient,
} from '@model-gateway/database';
import { displayPrefix, generateApiKey, lookupHash, newId } from '@model-gateway/shared';

const ROWS_AT_ONCE = 5_000;

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

  /** Creates and migrates a database. @param adminUrl a Postgres whose user may create databases */
  static async create(adminUrl: string, name: string): Promise<GatewayDatabase> {
    await createDatabase(adminUrl, name);
    const url = databaseUrl(adminUrl, name);
    await applyMigrations(url);
    return new GatewayDatabase(url);
  }

  /** Opens a database that exists and is migrated. */
  static open(url: string): GatewayDatabase {
    return new GatewayDatabase(url);
  }

  /** @returns the raw keys, spread evenly over the accounts */
  async insertKeys(count: number, accounts: readonly string[], pepper: string): Promise<string[]> {
    const rawKeys = Array.from({ length: count }, () => generateApiKey());
    for (let from = 0; from < count; from += ROWS_AT_ONCE) {
      const part = rawKeys.slice(from, from + ROWS_AT_ONCE);
      const accountOf = part.map((_, index) => accounts[(from + index) % accounts.length]);
      await this.#prisma.$executeRaw`
        INSERT INTO api_keys (id, account_id, name, lookup_hash, display_prefix)
        SELECT id, account_id, 'bench', lookup_hash, display_prefix
        FROM unnest(
          ${part.map(() => newId('key'))}::text[], ${accountOf}::text[],
          ${part.map((rawKey) => lookupHash(pepper, rawKey))}::text[], ${part.map(displayPrefix)}::text[]
        ) AS given (id, account_id, lookup_hash, display_prefix)`;
    }
    await this.#prisma.$executeRaw`ANALYZE api_keys`;
    return rawKeys;
  }

  async usageRecords(): Promise<number> {
    return await this.#prisma.usageRecord.count();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#prisma.$disconnect();
  }
}
