import type { CatalogDocumentInput } from '@model-gateway/shared';
import { modelEntry, withGateway, withStarted } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startScriptedProvider } from '../providers/scripted-provider.ts';
import { payingKey, verifyLedger } from './money-fixture.ts';

const PRICES = {
  input_per_million_usd: '3',
  cache_write_per_million_usd: '3.75',
  cache_write_1h_per_million_usd: '6',
  output_per_million_usd: '15',
  web_search_request_usd: '0.01',
  tool_call_usd: '0.02',
};
const DEAR = { ...PRICES, input_per_million_usd: '300', output_per_million_usd: '1500' };
const TEXT = 'lorem ipsum '.repeat(400);
/** The gateway's estimate for the text: four bytes to a token. */
const ESTIMATED_OUTPUT = 1_200n;
const BEGIN = { input_tokens: 100, output_tokens: 1 };
let rawKey: string;
let account: string;
/** Events of the provider's stream. */
let events: { type: string }[] = [];
let asked = 0;

const provider = withStarted(() =>
  startScriptedProvider((res) => {
    asked++;
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) res.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    res.end();
  }),
);
const gateway = withGateway(() => ({ ownPools: true, document }));
beforeAll(async () => {
  ({ account, rawKey } = await payingKey(gateway, '1000'));
});
afterAll(async () => {
  expect((await verifyLedger(gateway)).disagreements).toEqual([]);
});

function document(): CatalogDocumentInput {
  const model = (name: string) => modelEntry(`acme/${name}`, { acme: name });
  return {
    providers: [{ id: 'acme', name: 'Acme', kind: 'anthropic', base_url: provider.baseUrl }],
    models: [
      { ...model('own'), tier: 'paid', pricing: PRICES },
      { ...model('dear'), tier: 'paid', pricing: DEAR },
      { ...model('gift'), tier: 'free' },
    ],
  };
}

/** A stream whose first event has one usage, and whose last has another; undefined: it breaks off. */
function stream(begin: object, end: object | undefined): ({ type: string } & Record<string, unknown>)[] {
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'own', content: [], usage: begin };
  const written = [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: TEXT } },
    { type: 'content_block_stop', index: 0 },
  ];
  if (end === undefined) return written;
  const stopped = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, ...end };
  return [...written, stopped, { type: 'message_stop' }];
}

function ask(path: string, more: object = {}) {
  const messages = [{ role: 'user', content: 'word '.repeat(300) }];
  return gateway.post(
    path,
    { model: 'acme/own', max_tokens: 2_000, stream: true, messages, ...more },
    { key: rawKey },
  );
}

/** @returns what is stored of a request in that API */
async function billed(path: string, more: object = {}) {
  const response = await ask(path, more);
  expect(response.status).toBe(200);
  await response.text().catch(() => undefined);
  return await gateway.recordOf(response);
}

const usage = (counts: object) => ({ usage: counts });
const empty = { iterations: [{}] };
const few = { iterations: [{ input_tokens: 1, output_tokens: 1 }] };
const first = { ...BEGIN, iterations: [BEGIN] };
const onlyByTime = { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 500 };
const WHOLE = 100n * 3_000n + 900n * 15_000n;
const ESTIMATED = 100n * 3_000n + ESTIMATED_OUTPUT * 15_000n;

describe.each(['messages', 'chat/completions'])('a stream of Messages, requested at /v1/%s', (path) => {
  it.each<[string, object, object | undefined]>([
    ['absurd', BEGIN, usage({ output_tokens: 1e12 })],
    ['not there', BEGIN, {}],
    ['without its output', BEGIN, usage({ input_tokens: 100 })],
    ['with absurd turns', BEGIN, usage({ output_tokens: 900, iterations: [{ input_tokens: -1 }] })],
    ['never sent after turns that had begun', first, undefined],
  ])(
    'a stream whose last usage is %s is not billed by the single output token of its start',
    async (_name, ...of) => {
      events = stream(...of);
      expect(await billed(path)).toMatchObject({ charged: ESTIMATED, usage_source: 'estimated' });
    },
  );

  it.each<[string, object, object]>([
    ['have no counts', BEGIN, { output_tokens: 900, ...empty }],
    ['come to less', BEGIN, { output_tokens: 900, ...few }],
    ['are those of its beginning', first, { output_tokens: 900 }],
  ])('a stream whose iterations %s is billed by its total', async (_name, begin, end) => {
    events = stream(begin, usage(end));
    expect(await billed(path)).toMatchObject({ charged: WHOLE, usage_source: 'provider' });
  });

  it('a stream whose cache writes are counted only by TTL is billed for them', async () => {
    events = stream({ ...BEGIN, cache_creation: onlyByTime }, usage({ output_tokens: 900 }));
    const { charged } = await billed(path);
    expect(charged).toBe(WHOLE + 1_000n * 3_750n + 500n * 6_000n);
  });
});

it('a stream that breaks off is billed for the searches and tool calls before', async () => {
  const call = (index: number, name: string) => [
    {
      type: 'content_block_start',
      index,
      content_block: { type: 'server_tool_use', id: 's', name, input: {} },
    },
    { type: 'content_block_stop', index },
  ];
  events = [...stream(BEGIN, undefined), ...call(1, 'web_search'), ...call(2, 'code_execution')];
  const { charged, web_search_requests, tool_calls } = await billed('messages');
  expect([web_search_requests, tool_calls].map(Number)).toEqual([1, 1]);
  expect(charged).toBe(ESTIMATED + 10_000_000n + 20_000_000n);
});

it('a stream that breaks off is billed for hidden thinking that had begun', async () => {
  const thinking = { type: 'thinking', thinking: '', signature: '' };
  const [begin] = stream({ input_tokens: 90_000, output_tokens: 5_000 }, undefined);
  if (begin === undefined) throw new Error('a stream without a beginning');
  events = [begin, { type: 'content_block_start', index: 0, content_block: thinking }];
  const { charged, billing_reason } = await billed('messages');
  expect(billing_reason).toBe('aborted_partial');
  expect(charged).toBe(90_000n * 3_000n + 5_000n * 15_000n);
  events = [begin];
  expect(await billed('messages')).toMatchObject({ charged: 0n, billing_reason: 'upstream_failed_free' });
});

describe('a model that a request names as fallback', () => {
  const fallbacks = [{ model: 'dear' }];
  const iterations = [
    { model: 'own', input_tokens: 500, output_tokens: 0 },
    { model: 'dear', input_tokens: 500, output_tokens: 2_000 },
  ];

  it('a fallback model is paid from the reservation', async () => {
    events = stream(BEGIN, usage({ input_tokens: 500, output_tokens: 2_000, iterations }));
    const { charged, held } = await billed('messages', { fallbacks });
    expect(charged).toBe(500n * 3_000n + 500n * 300_000n + 2_000n * 1_500_000n);
    expect(BigInt(String(held))).toBeGreaterThanOrEqual(BigInt(String(charged)));
  });

  it("a fallback model is reserved and charged at the payer's price list", async () => {
    events = stream(BEGIN, usage({ input_tokens: 500, output_tokens: 2_000, iterations }));
    const { held: atCost } = await billed('messages', { fallbacks });
    const version = { termsJson: JSON.stringify({ factor: '3' }) };
    const list = await gateway.admin.callOnce(10_000, 'catalog', 'createPriceList', {
      ...{ name: 'times 3', isDefault: false, version },
    });
    const { id: priceListId } = JSON.parse(list.listJson);
    await gateway.admin.call(10_000, 'accounts', 'changeAccount', { account, priceListId });
    try {
      const { charged, held } = await billed('messages', { fallbacks });
      expect(charged).toBe(3n * (500n * 3_000n + 500n * 300_000n + 2_000n * 1_500_000n));
      expect(BigInt(String(held))).toBe(3n * BigInt(String(atCost)));
    } finally {
      await gateway.admin.call(10_000, 'accounts', 'changeAccount', { account, priceListId: '' });
    }
  });

  it("a fallback model's own max_tokens is reserved", async () => {
    const longer = [{ model: 'dear', max_tokens: 3_000 }];
    const { held } = await billed('messages', { fallbacks: longer });
    expect(BigInt(String(held))).toBeGreaterThan(3_000n * 1_500_000n);
  });

  it.each<[string, object, string]>([
    ['with a speed of its own', { fallbacks: [{ model: 'dear', speed: 'fast' }] }, 'fallbacks[0].speed'],
    [
      'in a region of its own',
      { fallbacks: [{ model: 'dear', inference_geo: 'us' }] },
      'fallbacks[0].inference_geo',
    ],
    ['by its bare name', { fallbacks: ['dear'] }, 'fallbacks[0]'],
    ['outside of a list', { fallbacks: { model: 'dear' } }, 'fallbacks'],
    ['for a free model', { model: 'acme/gift', fallbacks }, 'fallbacks[0].model'],
    [
      'as an advisor tool',
      { model: 'acme/gift', tools: [{ type: 'advisor_20260301', model: 'dear' }] },
      'tools[0].model',
    ],
  ])('another model %s is refused before anything is sent to the provider', async (_name, more, param) => {
    const before = asked;
    const response = await ask('messages', more);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param } });
    expect(asked).toBe(before);
  });
});
