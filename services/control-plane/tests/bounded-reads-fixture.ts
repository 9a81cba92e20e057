import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Client } from 'pg';
import { z } from 'zod';

/** A database, and SQL in it on a connection of its own. */
export interface TestSql {
  databaseUrl: string;
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

/** Start of a day in UTC; Unix seconds. */
export const DAY_START = Date.UTC(2026, 2, 10) / 1_000;

/** Roll-ups of an account by the minute, and the hour and the day that they sum up to. */
export async function fillRollups(
  control: TestSql,
  accountId: string,
  { minutes, keys, models }: { minutes: number; keys: number; models: number },
): Promise<void> {
  for (const width of [60, 3_600, 86_400]) {
    const buckets = Math.ceil((minutes * 60) / width);
    await control.query(
      `INSERT INTO usage_rollups (
         account_id, seat_id, width, bucket, key_id, model_id, capability, requests, input_tokens, cached_input_tokens,
         output_tokens, images, characters, audio_ms, search_units, charged
       )
       SELECT $1, '', $2::int, to_timestamp($3::float8 + b * $2::int), 'key_' || lpad(k::text, 24, '0'),
         'sim/chat-' || lpad(m::text, 4, '0'), 'chat', n, 10 * n, 0, 20 * n, 0, 0, 0, 0, 1000 * n
       FROM generate_series(0, $4::int - 1) AS b, generate_series(1, $5::int) AS k, generate_series(1, $6::int) AS m,
         LATERAL (SELECT least($2::int / 60, $7::int - b * $2::int / 60)) AS minutes (n)`,
      [accountId, width, DAY_START, buckets, keys, models, minutes],
    );
  }
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
  const sampler = setInterval(look, 2_000);
  try {
    const value = await work();
    look();
    return { value, heldMiB: (highest - before) / 2 ** 20 };
  } finally {
    clearInterval(sampler);
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
export async function lockTable(control: TestSql, table: string): Promise<AsyncDisposable> {
  const client = new Client({ connectionString: control.databaseUrl });
  await client.connect();
  await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  return { [Symbol.asyncDispose]: () => client.end() };
}

/** Waits for something, at most ten seconds. @throws when it does not come about */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const endMs = performance.now() + 10_000; performance.now() < endMs; await wait(20)) {
    if (await isSo()) return;
  }
  throw new Error(`never: ${what}`);
}
