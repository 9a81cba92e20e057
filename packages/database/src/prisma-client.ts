import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client.ts';

/** A connection whose packets are dropped without a word must not be waited for until TCP gives up. */
const QUERY_TIMEOUT_MS = 10_000;

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
    connectionTimeoutMillis: 5_000,
    query_timeout: QUERY_TIMEOUT_MS,
    // Nobody waits for the answer any more.
    statement_timeout: QUERY_TIMEOUT_MS,
  };
  return new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator: ({ sql }) => statementName(sql) }),
  });
}

/** The same text gets the same name, so that Postgres parses and plans it once per connection. */
function statementName(sql: string): string {
  return createHash('sha1').update(sql).digest('hex');
}
