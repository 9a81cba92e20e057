import type { Pool, PoolClient } from 'pg';
import { cancelBackend } from './cancel-backend.ts';
import { ConnectionPool } from './connection-pool.ts';
import type { Prisma } from './generated/client.ts';

export interface ReadingPoolOptions {
  /** Concurrent reads, default 6; others wait. */
  maxConnections?: number;
  /** Default 10,000 ms. */
  statementTimeoutMs?: number;
}

/** Wait for a place in the pool or a new connection. */
const CONNECT_TIMEOUT_MS = 5_000;
/** People often return to a list within a minute. */
const IDLE_MS = 60_000;
/** Beyond Postgres' own limit, a silent connection counts as lost. */
const LOST_AFTER_MS = 2_000;
/** Type id of int8, which exceeds JavaScript numbers. */
const INT8 = 20;

/**
 * Runs lists, sums and exports on connections of their own, so that they take none from requests. Cancels a
 * read when nobody waits for it.
 */
export class ReadingPool {
  readonly #databaseUrl: string;
  readonly #pool: Pool;

  constructor(
    databaseUrl: string,
    { maxConnections = 6, statementTimeoutMs = 10_000 }: ReadingPoolOptions = {},
  ) {
    this.#databaseUrl = databaseUrl;
    this.#pool = new ConnectionPool({
      connectionString: databaseUrl,
      max: maxConnections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_MS,
      statement_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs + LOST_AFTER_MS,
    });
    // The next query reports an ended connection; without a listener, this event would end the process.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => void client.on('error', () => undefined));
  }

  /**
   * @param signal aborts and cancels the query in Postgres
   * @returns unchecked rows, as `$queryRaw`
   * @throws the signal's reason, or the error of pg
   */
  async query(sql: Prisma.Sql, signal: AbortSignal): Promise<unknown[]> {
    signal.throwIfAborted();
    const client = await this.#pool.connect();
    let cancelled: Promise<boolean> | undefined;
    const cancel = () => {
      cancelled = cancelBackend(this.#databaseUrl, client);
    };
    let isUsable = false;
    try {
      signal.throwIfAborted();
      signal.addEventListener('abort', cancel, { once: true });
      const { rows } = await run(client, sql);
      isUsable = true;
      return rows;
    } catch (error) {
      isUsable = isErrorOfPostgres(error);
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
      // Release only after the cancelling: it could otherwise hit the next query.
      const isStopped = (await cancelled) ?? true;
      client.release(!(isUsable && isStopped));
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

function run(client: PoolClient, { text, values }: Prisma.Sql) {
  return client.query<Record<string, unknown>>({
    // Unnamed, so that Postgres plans each time: accounts differ widely.
    text,
    values,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 ? BigInt : client.getTypeParser(oid, format),
    },
  });
}

/** Returns true for an error reply of Postgres, after which the connection works. */
function isErrorOfPostgres(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity === 'ERROR';
}
