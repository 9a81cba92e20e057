import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { ConnectionPool } from './connection-pool.ts';
import { PrismaClient } from './generated/client.ts';

/**
 * When a network silently drops the packets of a connection, nobody must wait until TCP gives up. The time is
 * long enough for a slow database, because callers have time limits of their own.
 */
const QUERY_TIMEOUT_MS = 20_000;
/** The wait for a place in the pool, whose queries all have a time limit, and for a new connection. */
const CONNECTION_TIMEOUT_MS = 20_000;
/** The library's own limits (2 s for a connection, 5 s in all) would end transactions on a slow machine. */
const TRANSACTION_LIMITS = { maxWait: 20_000, timeout: 60_000 };

export interface PrismaClientOptions {
  /** The number of connections of the pool; the default is 10. */
  maxConnections?: number;
  /** How long a statement may take. Only for work that nobody waits for. */
  queryTimeoutMs?: number;
  /**
   * The URL is that of a pooler (PgBouncer and others) that gives a connection to each transaction. Statements
   * then have no names, because the next connection would not know them, and Postgres is not told how long they
   * may take, because poolers refuse that when a connection begins.
   */
  isPooled?: boolean;
}

/** Makes a client with its own connection pool. It connects with the first query. */
export function createPrismaClient(
  databaseUrl: string,
  { isPooled = false, maxConnections = 10, queryTimeoutMs = QUERY_TIMEOUT_MS }: PrismaClientOptions = {},
): PrismaClient {
  const pool = new ConnectionPool({
    connectionString: databaseUrl,
    max: maxConnections,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
    // After this time nobody waits for the answer any more.
    ...(isPooled ? {} : { statement_timeout: queryTimeoutMs }),
  });
  return new PrismaClient({
    adapter: new PrismaPg(pool, {
      disposeExternalPool: true,
      ...(isPooled ? {} : { statementNameGenerator: ({ sql }: { sql: string }) => statementName(sql) }),
    }),
    transactionOptions: TRANSACTION_LIMITS,
  });
}

/** Returns the same name for the same text, so that Postgres parses and plans it once per connection. */
function statementName(sql: string): string {
  return createHash('sha1').update(sql).digest('hex');
}
