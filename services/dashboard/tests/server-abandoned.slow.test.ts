import { heldDuring, lockTable, runningQueries, type TestSql } from '@model-gateway/test-kit/bounded-reads';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { startGateway, type TestGateway } from '@model-gateway/test-kit/start-gateway';
import { until } from '@model-gateway/test-kit/until';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { type Browser, newAddress, type Server, signedUp, startServer } from './server-fixture.ts';

const REQUESTS = 5_000;

const stack = new AsyncDisposableStack();
let gateway: TestGateway;
let server: Server;
let browser: Browser;
let sql: TestSql;
let rawKey: string;

beforeAll(async () => {
  gateway = stack.use(await startGateway({ catalog: true }));
  server = stack.use(
    await startServer({
      databaseUrl: gateway.databaseUrl,
      controlPlanePorts: gateway.controlPlanes.map(({ grpcPort }) => grpcPort),
      settings: { API_BASE_URL: gateway.baseUrl, CATALOG_URL: `http://127.0.0.1:${gateway.catalog?.port}` },
    }),
  );
  const { rows } = stack.use(openSql(gateway.databaseUrl));
  sql = {
    databaseUrl: gateway.databaseUrl,
    query: async (text, values = []) =>
      z.array(z.record(z.string(), z.unknown())).parse(await rows(text, ...values)),
  };
  const email = newAddress();
  browser = await signedUp(server, email);
  const [account] = await sql.query('SELECT id FROM accounts WHERE email = $1', [email]);
  const accountId = String(account?.id);
  ({ rawKey } = await gateway.createKey(accountId));
  await sql.query(
    `INSERT INTO usage_records (
       request_id, account_id, key_id, model_id, capability, input_tokens, cached_input_tokens, output_tokens, images,
       characters, audio_ms, search_units, usage_source, billing_reason, held, cost, charged, uncollected, attempts, ended_at, settlement
     )
     SELECT 'req_' || lpad(i::text, 24, '0'), $1, 'key_1', 'sim/chat-free', 'chat', 10, 0, 20, 0, 0, 0, 0, 'provider',
       'completed', 0, 0, 0, 0, '[{"providerId": "sim", "httpStatus": 200, "errorCode": null, "durationMs": 812}]',
       now() - i * interval '1 second', 1
     FROM generate_series(1, $2::int) AS i`,
    [accountId, REQUESTS],
  );
});
afterAll(() => stack.disposeAsync());

const period = () => `fromMs=0&toMs=${Date.now()}`;

it.each<[string, string, string, (signal: AbortSignal) => Promise<Response>]>([
  [
    'GET /v1/usage',
    'usage_rollups',
    'FROM usage_rollups',
    (signal) =>
      fetch(`${gateway.baseUrl}/v1/usage`, { headers: { authorization: `Bearer ${rawKey}` }, signal }),
  ],
  [
    "the dashboard's usage",
    'usage_rollups',
    'FROM usage_rollups',
    (signal) =>
      browser.fetch(`/api/usage?width=day&fromMs=${Date.now() - 86_400_000}&toMs=${Date.now()}`, { signal }),
  ],
  [
    "the dashboard's file of requests",
    'usage_records',
    'FROM usage_records',
    (signal) => browser.fetch(`/api/requests.csv?${period()}`, { signal }),
  ],
  // Postgres shows the first 1,024 bytes of a query.
  [
    "the dashboard's keys",
    'api_keys',
    'AS "displayPrefix"',
    (signal) => browser.fetch('/api/keys', { signal }),
  ],
])('Postgres aborts the query of %s when the client disconnects', async (_name, table, text, send) => {
  const lock = await lockTable(sql, table);
  try {
    const gone = new AbortController();
    const response = send(gone.signal).catch((error: unknown) => error);
    await until(async () => (await runningQueries(sql, text)).length > 0);
    gone.abort();
    await response;
    await until(async () => (await runningQueries(sql, text)).length === 0);
  } finally {
    await lock[Symbol.asyncDispose]();
  }
  expect(gateway.logText()).not.toContain('unexpected failure');
  expect(server.logText()).not.toContain('failed on this request');
});

it(`a CSV file of ${REQUESTS} requests is streamed, not held in memory`, async () => {
  const { value, heldMiB } = await heldDuring(async () => {
    const response = await browser.fetch(`/api/requests.csv?${period()}`);
    expect(response.status).toBe(200);
    let lines = 0;
    for await (const chunk of response.body ?? []) for (const byte of chunk) if (byte === 0x0a) lines += 1;
    return lines;
  });
  console.info(`${value} lines, heap +${heldMiB.toFixed(0)} MiB held`);
  expect(value).toBe(REQUESTS + 1);
  expect(heldMiB).toBeLessThan(8);
});
