import { type Books, until } from '@model-gateway/test-kit';

const MAX_S = 20;

/** Locks all pools, so that no data plane gets money, until it is disposed. */
export async function holdPools(books: Books) {
  const held = books
    .query(
      `WITH held_pools AS MATERIALIZED (SELECT id FROM pools FOR UPDATE)
       SELECT pg_sleep(${MAX_S})::text FROM (SELECT count(*) FROM held_pools) AS counted`,
    )
    .catch(() => undefined);
  const find = (condition: string) =>
    books.query(`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND ${condition}`);
  const isHeld = `wait_event = 'PgSleep' AND query LIKE '%held_pools%'`;
  await until(async () => (await find(isHeld)).length === 1);
  return {
    /** Resolves once somebody waits for money. */
    waiting: () => until(async () => (await find(`wait_event_type = 'Lock'`)).length > 0),
    async [Symbol.asyncDispose]() {
      await books.query(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND ${isHeld}`);
      await held;
    },
  };
}
