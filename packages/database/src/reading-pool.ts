import type { Pool, PoolClient } from 'pg';
import { cancelBackend } from './cancel-backend.ts';
import { ConnectionPool } from './connection-pool.ts';
import type { Prisma } from './generated/client.ts';

export interface ReadingPoolOptions {
  /** How many reads may run at once; others wait for their turn. The default is 6. */
  maxConnections?: number;
  /** Postgres ends a read that takes longer than this. The default is 10,000 ms. */
  statementTimeoutMs?: number;
}

/** How long a read waits for its turn, or for a new connection. */
const CONNECT_PATIENCE_MS = 5_000;
/** Connections stay open for this long, because people often look at a list again within a minute. */
const IDLE_MS = 60_000;
/** How long after Postgres' own limit a connection counts as lost: packets may be dropped silently. */
const LOST_AFTER_MS = 2_000;
/** Postgres' id of the type int8, whose eight bytes do not fit into a JavaScript number. */
const INT8 = 20;

/**
 * Runs reads whose size depends on users: lists, sums and exports. They have connections of their own, so
 * that they take none away from requests. A read ends as soon as nobody waits for it any more.
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
      connectionTimeoutMillis: CONNECT_PATIENCE_MS,
      idleTimeoutMillis: IDLE_MS,
      statement_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs + LOST_AFTER_MS,
    });
    // When the server ends a connection, the next query fails. Without a listener, this event would end the
    // process.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => void client.on('error', () => undefined));
  }

  /**
   * @param signal is aborted when nobody waits for the answer; then the query is cancelled in Postgres
   * @returns rows in the form of Prisma's `$queryRaw`, not checked
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
      isUsable = isAnswerOfPostgres(error);
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
      // The connection is used again only after the cancelling is over; otherwise that could hit the next
      // query.
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
    // The statement has no name, so Postgres plans it anew each time: what is true for one account says
    // little about another.
    text,
    values,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 ? BigInt : client.getTypeParser(oid, format),
    },
  });
}

/** Whether Postgres has answered with an error; then the connection itself works. */
function isAnswerOfPostgres(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity === 'ERROR';
}
