import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { ConnectionPool } from './connection-pool.ts';
import { PrismaClient } from './generated/client.ts';

/**
 * Ends waits on a network that drops packets silently; long enough for a slow database, because callers have
 * their own deadlines.
 */
const QUERY_TIMEOUT_MS = 20_000;
/** Wait for a place in the pool or a new connection. */
const CONNECTION_TIMEOUT_MS = 20_000;
/** The defaults (2 s and 5 s) would end transactions on a slow machine. */
const TRANSACTION_LIMITS = { maxWait: 20_000, timeout: 60_000 };

export interface PrismaClientOptions {
  /** Pool size; default 10. */
  maxConnections?: number;
  /** Statement timeout, for work nobody waits for. */
  queryTimeoutMs?: number;
  /**
   * True behind a pooler in transaction mode: statements get no names, which the next connection would not
   * know, and no timeouts of Postgres, which poolers refuse at startup.
   */
  isPooled?: boolean;
}

/** Creates a client with its own pool, which connects with the first query. */
export function createPrismaClient(
  databaseUrl: string,
  { isPooled = false, maxConnections = 10, queryTimeoutMs = QUERY_TIMEOUT_MS }: PrismaClientOptions = {},
): PrismaClient {
  const pool = new ConnectionPool({
    connectionString: databaseUrl,
    max: maxConnections,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
    // No caller waits longer, and a lost client must not hold the locks of its transaction longer.
    ...(isPooled
      ? {}
      : { statement_timeout: queryTimeoutMs, idle_in_transaction_session_timeout: queryTimeoutMs }),
  });
  return new PrismaClient({
    adapter: new PrismaPg(pool, {
      disposeExternalPool: true,
      ...(isPooled ? {} : { statementNameGenerator: ({ sql }: { sql: string }) => statementName(sql) }),
    }),
    transactionOptions: TRANSACTION_LIMITS,
  });
}

/** Names equal statements equally, so that Postgres plans them once per connection. */
function statementName(sql: string): string {
  return createHash('sha1').update(sql).digest('hex');
}
