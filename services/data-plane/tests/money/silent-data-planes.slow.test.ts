import {
  addPool,
  modelEntry,
  postJson,
  until,
  usageOf,
  withGateway,
  withStarted,
} from '@model-gateway/test-kit';
import { beforeEach, expect, it } from 'vitest';
import { spawnDataPlane } from '../process/data-plane-process.ts';
import { json, type Respond, startScriptedProvider } from '../providers/scripted-provider.ts';
import { expectLedgerAgrees } from './money-fixture.ts';

const MODEL = 'acme/paid';
const QUEUED = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'queued',
  model: 'theirs',
  output: [],
};
const ENDED = {
  ...QUEUED,
  status: 'completed',
  usage: { input_tokens: 100, output_tokens: 10, total_tokens: 110 },
};
const COUNTED = { charged: 120_000n, cost: 120_000n, usage_source: 'provider', is_provisional: false };
let state: object;

const streams: Respond = (res) => {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  res.write(`data: ${JSON.stringify({ type: 'response.created', response: QUEUED })}\n\n`);
};
const provider = withStarted(() =>
  startScriptedProvider((res, request) => {
    if (request.body.includes('"stream":true')) return streams(res, request);
    return json(200, JSON.stringify(state))(res, request);
  }),
);
const gateway = withGateway(() => ({
  ownPools: true,
  overrides: { background: { firstMs: 5, maxMs: 20, unknownMs: 30, giveUpMs: 60_000, adoptMs: 50 } },
  document: () => ({
    providers: [
      {
        id: 'acme',
        name: 'Acme',
        kind: 'openai-compatible',
        apis: ['chat', 'responses'],
        base_url: provider.baseUrl,
      },
    ],
    models: [
      modelEntry(
        MODEL,
        { acme: 'theirs' },
        {
          tier: 'paid',
          max_output_tokens: 1_000,
          pricing: { input_per_million_usd: '1', output_per_million_usd: '2' },
        },
      ),
    ],
  }),
}));
beforeEach(() => {
  state = QUEUED;
});

async function ask(baseUrl: string, more: object): Promise<string> {
  const { rawKey, accountId } = await gateway.createKey();
  await addPool(gateway.admin, { kind: 'account', id: accountId }, '1');
  const body = { model: MODEL, input: 'hi', max_output_tokens: 500, ...more };
  const response = await postJson(baseUrl, rawKey, 'responses', body);
  expect(response.status).toBe(200);
  return response.headers.get('x-request-id') ?? '';
}
const billOf = (requestId: string) => usageOf(gateway.books, requestId);
const isStored = async (table: 'usage_checkpoints' | 'usage_records', requestId: string) =>
  (await gateway.books.query(`SELECT 1 FROM ${table} WHERE request_id = $1`, [requestId])).length > 0;

it.each([
  ['a background response', 'killed', { background: true }],
  ['a background response', 'frozen', { background: true }],
  ['an open stream of a stored response', 'killed', { stream: true }],
])('%s of a data plane that is %s costs what its provider counts, once', async (_name, how, more) => {
  await using plane = await spawnDataPlane(gateway);
  const requestId = await ask(plane.baseUrl, more);
  await until(() => isStored('usage_checkpoints', requestId));
  plane.child.kill(how === 'killed' ? 'SIGKILL' : 'SIGSTOP');
  await until(() => isStored('usage_records', requestId));
  const { charged, held, is_provisional } = await billOf(requestId);
  expect({ charged, is_provisional }).toEqual({
    charged: 'background' in more ? BigInt(String(held)) : 0n,
    is_provisional: true,
  });
  state = ENDED;
  await until(async () => (await billOf(requestId)).is_provisional === false);
  expect(await billOf(requestId)).toMatchObject(COUNTED);
  if (how === 'frozen') {
    plane.child.kill('SIGCONT');
    plane.child.kill('SIGTERM');
    await plane.exit;
  }
  expect(await billOf(requestId)).toMatchObject(COUNTED);
  await expectLedgerAgrees(gateway);
});
