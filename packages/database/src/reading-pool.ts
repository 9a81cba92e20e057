import { Pool, type PoolClient } from 'pg';
import { cancelBackend } from './cancel-backend.ts';
import type { Prisma } from './generated/client.ts';

export interface ReadingPoolOptions {
  /** Reads under way at once; more wait for their turn. Default 6. */
  maxConnections?: number;
  /** Postgres ends a read that takes longer. Default 10,000 ms. */
  statementTimeoutMs?: number;
}

/** How long a read waits for its turn, or for a new connection. */
const CONNECT_PATIENCE_MS = 5_000;
/** People look at lists now and then: whoever comes back within a minute waits for no connection. */
const IDLE_MS = 60_000;
/** For a connection whose packets are dropped without a word: Postgres' own time limit comes first. */
const LOST_AFTER_MS = 2_000;
/** Postgres' id of the type int8: its eight bytes do not fit into a JavaScript number. */
const INT8 = 20;

/**
 * Reads whose size users decide: lists, sums and exports. They have connections of their own, so that they
 * take none away from requests, and end as soon as nobody waits for them any more.
 */
export class ReadingPool {
  readonly #databaseUrl: string;
  readonly #pool: Pool;

  constructor(
    databaseUrl: string,
    { maxConnections = 6, statementTimeoutMs = 10_000 }: ReadingPoolOptions = {},
  ) {
    this.#databaseUrl = databaseUrl;
    this.#pool = new Pool({
      connectionString: databaseUrl,
      max: maxConnections,
      connectionTimeoutMillis: CONNECT_PATIENCE_MS,
      idleTimeoutMillis: IDLE_MS,
      statement_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs + LOST_AFTER_MS,
    });
    // Without a listener a connection that the server ends would end the process; the next query tells.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => void client.on('error', () => undefined));
  }

  /**
   * @param signal aborted when nobody waits for the answer: the query is then cancelled in Postgres
   * @returns rows as `$queryRaw` of Prisma returns them; not checked
   * @throws the signal's reason, or what pg throws
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
      // The connection is used again only when the cancelling is over, or it could hit the next query.
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
    // Without a name: planned anew each time, because what accounts have differs much.
    text,
    values,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 ? BigInt : client.getTypeParser(oid, format),
    },
  });
}

/** Postgres has answered with an error: the connection itself is sound. */
function isAnswerOfPostgres(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity === 'ERROR';
}
