import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createPrismaClient } from '@model-gateway/database';
import { z } from 'zod';

/** A database, and SQL in it on a connection of its own. */
export interface TestSql {
  databaseUrl: string;
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

setFlagsFromString('--expose-gc');
const collectGarbage = z.function({ input: [], output: z.void() }).implement(runInNewContext('gc'));

/** How far what this process holds on to grew while `work` ran; garbage does not count. */
export async function heldDuring<Value>(
  work: () => Promise<Value>,
): Promise<{ value: Value; heldMiB: number }> {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  let highest = before;
  const look = () => {
    collectGarbage();
    highest = Math.max(highest, process.memoryUsage().heapUsed);
  };
  // Most of the time is the work's, also where a look takes seconds.
  const lookAgain = (tookMs = 0) =>
    setTimeout(
      () => {
        const beganMs = performance.now();
        look();
        sampler = lookAgain(performance.now() - beganMs);
      },
      Math.max(2_000, 5 * tookMs),
    );
  let sampler = lookAgain();
  try {
    const value = await work();
    look();
    return { value, heldMiB: (highest - before) / 2 ** 20 };
  } finally {
    clearTimeout(sampler);
  }
}

/** Queries that are under way in the control planes' database, without those that ask for this. */
export async function runningQueries(control: TestSql, pattern: string): Promise<string[]> {
  const rows = await control.query(
    `SELECT query FROM pg_stat_activity
     WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid() AND query LIKE $1`,
    [`%${pattern}%`],
  );
  return rows.map(({ query }) => String(query));
}

/** Holds a table, so that whoever reads it waits; on a connection of its own. */
export async function lockTable(sql: Pick<TestSql, 'databaseUrl'>, table: string): Promise<AsyncDisposable> {
  const prisma = createPrismaClient(sql.databaseUrl, { maxConnections: 1 });
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const transaction = prisma.$transaction(
    async (client) => {
      await client.$executeRawUnsafe(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      locked.resolve();
      await released.promise;
    },
    { maxWait: 30_000, timeout: 60_000 },
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

/** Waits for something, at most ten seconds. @throws when it does not come about */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const endMs = performance.now() + 10_000; performance.now() < endMs; await wait(20)) {
    if (await isSo()) return;
  }
  throw new Error(`never: ${what}`);
}
