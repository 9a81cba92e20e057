import { setTimeout as wait } from 'node:timers/promises';
import { newRequestId } from '@model-gateway/shared';
import { type SpawnedService, spawnService, until } from '@model-gateway/test-kit';
import { createTestDatabase } from '@model-gateway/test-kit/test-database';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { Pool } from 'pg';
import { expect } from 'vitest';
import { at } from '../fixtures/control-planes-fixture.ts';

const USD = 1_000_000_000;
const CONTROL_PLANES = 2;
/** A busy machine starts killed control planes many times slower than a quiet one. */
const SETTLED_MS = 600_000;

export interface EventsKillDrill {
  accounts: number;
  /** Requests that each account settles. Its credit covers most of them. */
  requests: number;
  /** Kills of control planes, at least. */
  kills: number;
}

type Query = (sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

/** Settles requests of an account one after the other, as control planes do, until its pool is used up. */
async function spend(query: Query, account: string, requests: number): Promise<void> {
  const allowanceId = `allowance_${account}`;
  for (let index = 0; index < requests; index++) {
    const [grant] = await query(
      `SELECT granted FROM grant_allowance($1, 'drill', ARRAY['account:' || $2], '{}', ARRAY[$3]::bigint[], 0)`,
      [allowanceId, account, USD / 10],
    );
    expect(Number(grant?.granted)).toBeGreaterThan(0);
    const endedAt = new Date(Date.now() - (index % 10 === 0 ? 600_000 : 0)).toISOString();
    const named = { requestId: newRequestId(), accountId: account, allowanceId, endedAt };
    const row = usageRow({ ...named, modelId: 'sim/chat-pro', priceVersion: 1, cost: String(USD / 10) });
    // Some requests seem lost first, and cost less than the last known state in the end.
    if (index % 7 === 0) {
      await settleRows(query, [{ ...row, cost: String(USD / 10) }], true);
      await wait(index % 2 === 0 ? 0 : 5_000);
      await settleRows(query, [{ ...row, cost: String(USD / 20) }]);
    } else await settleRows(query, [row]);
    await wait(50 + Math.random() * 100);
  }
}

/**
 * Settles requests while control planes are killed, and checks that each request and each threshold of each
 * pool is reported exactly once.
 */
export async function eventsKillDrill({
  accounts: accountCount,
  requests,
  kills,
}: EventsKillDrill): Promise<void> {
  const credit = Math.round(0.08 * requests * USD);
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const connections = stack.adopt(new Pool({ connectionString: database.url, max: 6 }), (pool) => pool.end());
  connections.on('error', () => undefined);
  const query: Query = async (sql, values = []) => (await connections.query(sql, values)).rows;
  await query(`INSERT INTO webhook_endpoints (id, url, events, disabled_at)
    VALUES ('wh_drill', 'https://receiver.example.com', '{request.settled,pool.threshold_reached}', now())`);
  await query(`INSERT INTO key_watchers (instance_id, control_plane_id, acked_revision, lease_until)
    VALUES ('drill', 'drill', 0, now() + interval '1 hour')`);
  const accounts = Array.from({ length: accountCount }, (_, index) => `acct_${index}`);
  for (const id of accounts) {
    await query(`INSERT INTO accounts (id, email, name) VALUES ($1, $1 || '@example.com', $1)`, [id]);
    await query(
      `INSERT INTO pools (id, name, owner, included, remaining) VALUES ('pool_' || $1, 'Credit', 'account:' || $1, $2, $2)`,
      [id, credit],
    );
    await query(`INSERT INTO ledger_entries (pool_id, kind, amount) VALUES ('pool_' || $1, 'included', $2)`, [
      id,
      credit,
    ]);
  }
  const start = () => spawnService('control-plane', { DATABASE_URL: database.url });
  const planes: SpawnedService[] = await Promise.all(Array.from({ length: CONTROL_PLANES }, start));
  stack.defer(async () => {
    await Promise.all(planes.map((plane) => plane[Symbol.asyncDispose]()));
  });
  let isSpent = false;
  const spending = Promise.all(accounts.map((account) => spend(query, account, requests))).finally(() => {
    isSpent = true;
  });
  let killed = 0;
  while (!isSpent || killed < kills) {
    await wait(1_000 + Math.random() * 3_000);
    const index = killed % CONTROL_PLANES;
    at(planes, index).kill('SIGKILL');
    await at(planes, index).exit;
    killed++;
    planes[index] = await start();
  }
  await spending;
  await until(async () => {
    const [left] = await query(`SELECT
      (SELECT count(*) FROM pending_settlements) + (SELECT count(*) FROM unreported_records) AS count`);
    return Number(left?.count) === 0;
  }, SETTLED_MS);
  const [sums] = await query(`SELECT
    (SELECT sum((data->>'cost_nano_usd')::numeric)::text FROM events WHERE type = 'request.settled') AS reported,
    (SELECT sum(-amount)::text FROM ledger_entries WHERE kind IN ('charge', 'correction')) AS charged`);
  expect(sums?.reported).toBe(sums?.charged);
  const wrong = await query(`
    SELECT r.request_id, r.charged, e.sum FROM usage_records r LEFT JOIN (
      SELECT data->>'request_id' AS request_id, sum((data->>'cost_nano_usd')::numeric) AS sum
      FROM events WHERE type = 'request.settled' GROUP BY 1
    ) AS e USING (request_id)
    WHERE r.charged IS DISTINCT FROM e.sum`);
  expect(wrong).toEqual([]);
  const thresholds = () =>
    query(`SELECT account_id, array_agg((data->>'threshold')::int ORDER BY position) AS thresholds
      FROM events WHERE type = 'pool.threshold_reached' GROUP BY 1 ORDER BY 1`);
  const expected = accounts.toSorted().map((account_id) => ({ account_id, thresholds: [50, 80, 100] }));
  await until(async () => JSON.stringify(await thresholds()) === JSON.stringify(expected)).catch(
    () => undefined,
  );
  expect(await thresholds()).toEqual(expected);
  console.log(`events kill drill: ${JSON.stringify({ killed, ...sums })}`);
}
