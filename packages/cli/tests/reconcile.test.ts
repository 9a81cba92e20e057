import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { runSql } from '@model-gateway/test-kit/run-sql';
import { until } from '@model-gateway/test-kit/until';
import { settleRows, type UsageRowChanges, usageRow } from '@model-gateway/test-kit/usage-row';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gatewayctl, startGatewayctl } from './gatewayctl-fixture.ts';

const CATALOG = `
providers:
  - { id: acme, name: Acme AI, kind: openai-compatible, base_url: "https://api.acme.example/v1" }
  - { id: openai, name: OpenAI, kind: openai-compatible, base_url: "https://api.openai.com/v1" }
models:
  - id: acme/small
    name: Small
    capability: chat
    tier: paid
    upstreams: [{ provider: acme, model: small-1 }, { provider: openai, model: gpt-5-mini, priority: 2 }]
    pricing: { input_per_million_usd: "1.00", output_per_million_usd: "2.00" }
`;
const NOW = new Date();
const DAY = NOW.toISOString().slice(0, 10);
const NOON = new Date(`${DAY}T00:00:00Z`).getTime();

let gatewayctl: Gatewayctl;

function attempt(changes: object) {
  return {
    providerId: 'acme',
    httpStatus: 200,
    errorCode: null,
    durationMs: 10,
    endedAtMs: NOON + 60_000,
    credentialEnv: 'ACME_KEY',
    ...changes,
  };
}

async function settle(requestId: string, row: UsageRowChanges): Promise<void> {
  const standard = {
    keyId: 'key_1',
    modelId: 'acme/small',
    priceVersion: 1,
    inputTokens: 100,
    outputTokens: 50,
  };
  const ended = { endedAt: new Date(NOON + 60_000).toISOString(), cost: '200000', held: '900000' };
  const accountId = await account;
  const rows = [usageRow({ requestId, accountId, ...standard, ...ended, ...row })];
  await settleRows((...statement) => runSql(gatewayctl.databaseUrl, ...statement), rows);
}

let account: Promise<string>;

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
  await gatewayctl.json('catalog', 'apply', '-f', gatewayctl.file('catalog.yaml', CATALOG));
  account = gatewayctl.id('accounts', 'create', '--email', 'spender@example.com');
  await gatewayctl.json('pools', 'add', await account, '--usd', '2');
  await settle('req_same', { attempts: [attempt({ providerRequestId: 'a1' })] });
  await settle('req_left', {
    attempts: [attempt({ providerRequestId: 'a2' })],
    billingReason: 'aborted_partial',
  });
  await settle('req_retried', {
    attempts: [
      attempt({
        httpStatus: null,
        errorCode: 'upstream_timeout',
        estimatedUnits: { inputTokens: 100, outputTokens: 10 },
        estimatedCost: '120000',
      }),
      attempt({ providerId: 'openai', providerRequestId: 'b1' }),
    ],
    attemptsCost: '120000',
  });
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

it('compares an export that names requests, and fails above the tolerance', async () => {
  const rows = [
    'time,request_id,model,credential,input_tokens,output_tokens,cost_usd',
    `${DAY}T00:00:59Z,a1,small-1,sk-1,100,50,0.000200`,
    `${DAY}T00:00:59Z,a2,small-1,sk-1,100,80,0.000260`,
    `${DAY}T00:00:59.990Z,a3,small-1,sk-1,100,40,0.000180`,
    `${DAY}T00:30:00Z,z9,small-1,sk-9,10,0,0.000010`,
  ];
  const file = gatewayctl.file('export.csv', `${rows.join('\n')}\n`);
  const command = ['reconcile', '--provider', 'acme', '--from', DAY, '-f', file];
  const { code, out } = await gatewayctl.run(command);
  expect(code).toBe(1);
  expect(out).toContain('aborted streams');
  const outcome = await gatewayctl.run([...command, '--json']);
  const report: unknown = JSON.parse(outcome.out);
  expect(report).toMatchObject({
    provider: 'acme',
    from: DAY,
    to: DAY,
    mode: 'requests',
    is_exceeded: true,
    money: {
      provider_usd: '0.000650000',
      gateway_usd: '0.000520000',
      difference_usd: '0.000130000',
      unexplained_usd: '0.000000000',
    },
    causes: [
      { cause: 'aborted_streams', requests: 1, difference_usd: '0.000060000', request_ids: ['req_left'] },
      {
        cause: 'timed_out_attempts',
        requests: 1,
        difference_usd: '0.000060000',
        request_ids: ['req_retried'],
      },
      { cause: 'not_through_gateway', requests: 1, difference_usd: '0.000010000', request_ids: ['z9'] },
    ],
  });
  expect((await gatewayctl.run([...command, '--tolerance-usd', '0.00013'])).code).toBe(0);
});

it('fetches the bill of OpenAI with an admin key, by sums', async () => {
  const start = NOON / 1_000;
  const bucket = (results: object[]) => ({
    data: [{ object: 'bucket', start_time: start, end_time: start + 86_400, results }],
    has_more: false,
    next_page: null,
  });
  const usage = {
    model: 'gpt-5-mini-2026-01-31',
    input_tokens: 100,
    output_tokens: 50,
    num_model_requests: 1,
  };
  const costs = { amount: { value: 0.0002, currency: 'usd' }, line_item: 'gpt-5-mini-2026-01-31, input' };
  const seen = new Set<string>();
  const api = createServer((request, response) => {
    seen.add(String(request.headers.authorization));
    const path = request.url ?? '';
    const results = path.includes('/costs') ? [costs] : path.includes('/completions') ? [usage] : [];
    response.setHeader('content-type', 'application/json').end(JSON.stringify(bucket(results)));
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const address = api.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1`;
  const command = ['reconcile', '--provider', 'openai', '--from', DAY, '--api-url', url, '--json'];
  expect(await gatewayctl.run(command)).toMatchObject({
    code: 1,
    err: expect.stringContaining('OPENAI_ADMIN_KEY'),
  });
  Object.assign(gatewayctl.environment, { OPENAI_ADMIN_KEY: 'sk-admin-1' });
  const { code, out } = await gatewayctl.run(command);
  api.close();
  expect([...seen]).toEqual(['Bearer sk-admin-1']);
  expect(JSON.parse(out)).toMatchObject({
    mode: 'sums',
    causes: [],
    rows: [
      { unit: 'input_tokens', provider: '100', gateway: '100' },
      { unit: 'output_tokens', provider: '50', gateway: '50' },
      { unit: 'requests', provider: '1', gateway: '1' },
      { unit: 'usd', provider: '0.000200000', gateway: '0.000200000' },
    ],
  });
  expect(code).toBe(0);
});

it('takes wrong options for wrong usage', async () => {
  const wrong = [
    ['reconcile', '--from', DAY],
    ['reconcile', '--provider', 'acme', '--from', '2026-02-30'],
    ['reconcile', '--provider', 'acme', '--from', '2026-02-03', '--to', '2026-02-02'],
    ['reconcile', '--provider', 'acme', '--from', DAY, '--tolerance-percent', 'x'],
    ['reconcile', '--provider', 'acme', '--from', DAY, '--credential', 'x'],
  ];
  for (const args of wrong)
    expect({ args, code: (await gatewayctl.run(args)).code }).toEqual({ args, code: 2 });
});

it('exports the usage of past days as FOCUS, with amounts that add up', async () => {
  const dayMs = 86_400_000;
  const at = NOON - 2 * dayMs;
  for (const [id, cost] of [
    ['req_focus_1', '200001'],
    ['req_focus_2', '200000'],
  ] as const)
    await settle(id, {
      attempts: [],
      cost,
      providerCost: '100000',
      endedAt: new Date(at + 3_600_000).toISOString(),
    });
  const day = new Date(at).toISOString().slice(0, 10);
  const file = gatewayctl.file('focus.csv', '');
  const sums = async (view: string) => {
    const named = ['--from', day, '--view', view, '-o', file];
    await until(async () => (await gatewayctl.run(['focus', 'export', ...named])).code === 0);
    const rows: Record<string, string>[] = parse(readFileSync(file), { columns: true });
    expect(rows.map(({ SkuId, ConsumedQuantity }) => [SkuId, ConsumedQuantity])).toEqual([
      ['acme/small/input_tokens', '200'],
      ['acme/small/output_tokens', '100'],
    ]);
    return rows.map(({ BilledCost }) => BilledCost);
  };
  expect(await sums('charge')).toEqual(['0.0002', '0.000200001']);
  expect(await sums('cost')).toEqual(['0.0001', '0.0001']);
  expect(
    await gatewayctl.run(['focus', 'export', '--from', DAY, '--format', 'parquet', '-o', file]),
  ).toMatchObject({
    code: 1,
    err: expect.stringContaining('has not ended'),
  });
});
