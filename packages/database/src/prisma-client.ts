import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client.ts';

/**
 * A connection whose packets are dropped without a word must not be waited for until TCP gives up. Long
 * enough for a database that is behind: whoever asked has patience of its own.
 */
const QUERY_TIMEOUT_MS = 20_000;
/** For a place in the pool, whose queries are all bounded, and for a new connection. */
const CONNECTION_TIMEOUT_MS = 20_000;
/** The library's own bounds (2 s to connect, 5 s in all) end transactions of a machine that is only slow. */
const TRANSACTION_LIMITS = { maxWait: 20_000, timeout: 60_000 };

export interface PrismaClientOptions {
  /** Connections of the pool; 10 unless given. */
  maxConnections?: number;
}

/** A client on its own connection pool. Nothing connects before the first query. */
export function createPrismaClient(
  databaseUrl: string,
  { maxConnections = 10 }: PrismaClientOptions = {},
): PrismaClient {
  const pool = {
    connectionString: databaseUrl,
    max: maxConnections,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    // Nobody waits for the answer any more.
    statement_timeout: QUERY_TIMEOUT_MS,
  };
  return new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator: ({ sql }) => statementName(sql) }),
    transactionOptions: TRANSACTION_LIMITS,
  });
}

/** The same text gets the same name, so that Postgres parses and plans it once per connection. */
function statementName(sql: string): string {
  return createHash('sha1').update(sql).digest('hex');
}
