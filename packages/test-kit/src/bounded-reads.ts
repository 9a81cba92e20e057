import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createPrismaClient } from '@model-gateway/database';
import { z } from 'zod';

/** A database, with a connection of its own for SQL. */
export interface TestSql {
  databaseUrl: string;
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

setFlagsFromString('--expose-gc');
const collectGarbage = z.function({ input: [], output: z.void() }).implement(runInNewContext('gc'));

/** Measures how far the live heap of this process grew while `work` ran. */
export async function heldDuring<Value>(
  work: () => Promise<Value>,
): Promise<{ value: Value; heldMiB: number }> {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  let highest = before;
  const sample = () => {
    collectGarbage();
    highest = Math.max(highest, process.memoryUsage().heapUsed);
  };
  // The pause grows with the time that a sample takes, so that most of the time is left to the work.
  const sampleLater = (tookMs = 0) =>
    setTimeout(
      () => {
        const beganMs = performance.now();
        sample();
        sampler = sampleLater(performance.now() - beganMs);
      },
      Math.max(2_000, 5 * tookMs),
    );
  let sampler = sampleLater();
  try {
    const value = await work();
    sample();
    return { value, heldMiB: (highest - before) / 2 ** 20 };
  } finally {
    clearTimeout(sampler);
  }
}

/** Returns the running queries of the database that contain `pattern`, except this one. */
export async function runningQueries(control: TestSql, pattern: string): Promise<string[]> {
  const rows = await control.query(
    `SELECT query FROM pg_stat_activity
     WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid() AND query LIKE $1`,
    [`%${pattern}%`],
  );
  return rows.map(({ query }) => String(query));
}

/** Postgres ends a transaction that is idle for longer. A busy machine holds a lock for long. */
const LOCK_MS = 180_000;

/** Locks a table on a connection of its own, so that every reader waits. */
export async function lockTable(sql: Pick<TestSql, 'databaseUrl'>, table: string): Promise<AsyncDisposable> {
  const prisma = createPrismaClient(sql.databaseUrl, { maxConnections: 1, queryTimeoutMs: LOCK_MS });
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const transaction = prisma.$transaction(
    async (client) => {
      await client.$executeRawUnsafe(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      locked.resolve();
      await released.promise;
    },
    { maxWait: 30_000, timeout: LOCK_MS },
  );
  transaction.catch(locked.reject);
  await locked.promise;
  return {
    async [Symbol.asyncDispose]() {
      released.resolve();
      await transaction;
      await prisma.$disconnect();
    },
  };
}
