import { expect, it } from 'vitest';
import { type ControlPlanes, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { manage } from '../fixtures/management-fixture.ts';

const ACCOUNTS = 100_000;
const MODELS = 60;
const CALLS = 40;
const LIMIT_MS = 200;

const control = useControlPlanes();

/** Stores what is kept of 40 days with requests to every model in every minute. */
async function fillFigures({ query, sql }: ControlPlanes): Promise<void> {
  const models = `generate_series(1, ${MODELS}) AS m`;
  const histogram = `ARRAY(SELECT (random() * 20)::int FROM generate_series(1, 75))`;
  await query(`
    INSERT INTO model_usage
    SELECT 60, minute, 'sim/m' || m, 'sim' || m % 20, 10, 12345678
    FROM ${models}, generate_series(now() - interval '8 days', now(), '1 minute') AS t,
      date_bin('1 minute', t, 'epoch') AS minute`);
  await query(`
    INSERT INTO model_usage
    SELECT 3600, hour, 'sim/m' || m, 'sim' || m % 20, 600, 1234567890
    FROM ${models}, generate_series(now() - interval '40 days', now(), '1 hour') AS t,
      date_bin('1 hour', t, 'epoch') AS hour`);
  await query(`
    INSERT INTO model_usage
    SELECT 86400, date_bin('1 day', bucket, 'epoch'), model_id, provider_id, sum(requests), sum(charged)
    FROM model_usage WHERE width = 3600 GROUP BY 1, 2, 3, 4`);
  await query(`
    INSERT INTO model_hours
    SELECT hour, 'sim/m' || m, 'sim' || m % 20, 650, 40, 600, 10, 1, h.a, h.a
    FROM ${models}, generate_series(now() - interval '40 days', now(), '1 hour') AS t,
      date_bin('1 hour', t, 'epoch') AS hour, (SELECT ${histogram} AS a) AS h`);
  await query(`
    INSERT INTO model_days
    SELECT day, 'sim/m' || m, 'sim' || m % 20, 15600, 960, 14400, 240, 24, h.a, h.a
    FROM ${models}, generate_series(now() - interval '40 days', now(), '1 day') AS t,
      date_bin('1 day', t, 'epoch') AS day, (SELECT ${histogram} AS a) AS h`);
  await query(`
    INSERT INTO model_minutes (model_id, provider_id, minute, attempts, failed_attempts, requests,
      failed_requests, latency_buckets, first_token_buckets)
    SELECT 'sim/m' || m, 'sim' || m % 20, minute, 11, 1, 10, 1, h.a, h.a
    FROM ${models}, generate_series(now() - interval '25 hours', now(), '1 minute') AS t,
      date_bin('1 minute', t, 'epoch') AS minute, (SELECT ${histogram} AS a) AS h`);
  await sql`ANALYZE`;
}

/** Stores accounts with a pool each, all of which are nearly used up: the worst case. */
async function fillPools({ sql }: ControlPlanes): Promise<void> {
  await sql`
    INSERT INTO accounts (id, email, name)
    SELECT 'acct_' || n, 'user' || n || '@example.com', 'User ' || n FROM generate_series(1, ${ACCOUNTS}::int) AS n`;
  await sql`
    INSERT INTO pools (id, name, owner, included, remaining, charged)
    SELECT 'pool_' || n, 'Plan', 'account:acct_' || n, 1000, 100, 900
    FROM generate_series(1, ${ACCOUNTS}::int) AS n`;
  await sql`
    INSERT INTO reported_states (kind, id, level, amount, reported_at)
    SELECT 'pool', 'pool_' || n, CASE WHEN n % 10 = 0 THEN 100 ELSE 80 END, 1000, now() - n * interval '1 second'
    FROM generate_series(1, ${ACCOUNTS}::int) AS n`;
  await sql`ANALYZE`;
}

async function expectFast(path: string): Promise<void> {
  const api = manage(control);
  const times: number[] = [];
  for (let call = 0; call < CALLS; call++) {
    const began = performance.now();
    expect((await api.get(path)).status).toBe(200);
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const [p50 = 0, p95 = 0] = [0.5, 0.95].map((share) => times[Math.ceil(CALLS * share) - 1]);
  console.info(`${path}: p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`);
  expect(p95, path).toBeLessThan(LIMIT_MS);
}

it('the overview takes at most 200 ms with 40 days of 60 busy models, and attention with 100,000 nearly used pools', async () => {
  await fillFigures(control);
  await fillPools(control);
  for (const period of ['1h', '24h', '7d', '30d']) await expectFast(`/admin/v1/overview?period=${period}`);
  await expectFast('/admin/v1/attention');
});
