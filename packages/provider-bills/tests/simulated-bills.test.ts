import { writeFile } from 'node:fs/promises';
import { type PriceTable, simulatedKeyId, startSimulatedProvider } from '@model-gateway/simulated-provider';
import { afterAll, describe, expect, it } from 'vitest';
import { type BillLine, type BillPart, fetchAnthropicBill, fetchOpenAiBill } from '../src/index.ts';
import { filePath, readLines } from './bill-file.ts';

const KEY = 'sk-simulated';
const ADMIN_KEY = 'sk-admin';
const DAY_MS = 86_400_000;
/** US dollars per million. The last digits make sums that no float has. */
const PRICES: PriceTable = {
  'sim-chat-pro': { input: '2.500000001', cachedInput: '1.25', output: '10.000000003' },
  'sim-claude-pro': {
    input: '3',
    cachedInput: '0.3',
    cacheWrite: '3.75',
    cacheWrite1h: '6',
    output: '15',
    webSearches: '10000',
  },
  'sim-gemini-pro': { input: '1.25', output: '10' },
  'amazon.nova-2-sim-v1:0': { input: '0.8', output: '3.2' },
  'sim-embed-pro': { input: '0.13' },
};

const provider = await startSimulatedProvider({
  apiKey: KEY,
  adminKey: ADMIN_KEY,
  tokenDelayMs: 1,
  prices: PRICES,
});
afterAll(() => provider.close());
const root = provider.baseUrl.replace(/\/v1$/, '');
const messages = [{ role: 'user', content: 'Explain glaciers' }];
const range = () => ({ fromMs: Date.now() - DAY_MS, toMs: Date.now() + DAY_MS });

function post(
  path: string,
  body: object,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(`${root}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'x-client-request-id': `ours-${path}`, ...headers },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

const chat = (body: object, signal?: AbortSignal) =>
  post('/v1/chat/completions', { model: 'sim-chat-pro', messages, max_tokens: 40, ...body }, {}, signal);

/** Sends a chat to a silent provider, and leaves once it has the request. */
async function leaveSilent(more: object): Promise<void> {
  const leaving = new AbortController();
  const before = provider.requests.length;
  const asking = chat({ simulate: { delay_ms: 60_000, ...more } }, leaving.signal);
  await expect.poll(() => provider.requests.length).toBeGreaterThan(before);
  leaving.abort();
  await expect(asking).rejects.toThrow();
}

const claude = { 'x-api-key': KEY, 'anthropic-version': '2023-06-01' };
const cached = (ttl: string) => ({
  type: 'text',
  text: `Long text ${ttl}. `.repeat(50),
  cache_control: { type: 'ephemeral', ttl },
});
const message = () =>
  post(
    '/v1/messages',
    {
      model: 'sim-claude-pro',
      max_tokens: 30,
      messages: [{ role: 'user', content: [cached('1h'), cached('5m'), { type: 'text', text: 'Go' }] }],
      simulate: { web_searches: 2 },
    },
    claude,
  );

async function linesOf(parts: AsyncIterable<BillPart>): Promise<BillLine[]> {
  const lines: BillLine[] = [];
  for await (const part of parts) lines.push(...part.lines);
  return lines;
}

async function exported(name: string): Promise<BillLine[]> {
  const response = await fetch(`${root}/simulated/bill/${name}`, {
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  });
  expect(response.status).toBe(200);
  const path = await filePath(name);
  await writeFile(path, Buffer.from(await response.arrayBuffer()));
  return readLines(path);
}

/** Sums up the quantities of some lines by model and unit. */
function quantities(lines: readonly BillLine[]): Record<string, bigint> {
  const sums: Record<string, bigint> = {};
  for (const { model, quantity, unit } of lines) {
    if (typeof quantity !== 'bigint') continue;
    const name = `${model} ${unit}`;
    sums[name] = (sums[name] ?? 0n) + quantity;
  }
  return sums;
}

const UNITS = {
  input: 'inputTokens',
  cachedInput: 'cachedInputTokens',
  cacheWrite: 'cacheWriteTokens',
  cacheWrite1h: 'cacheWrite1hTokens',
  output: 'outputTokens',
  webSearches: 'webSearchRequests',
} as const;

/** The same sums of what was served. */
function served(vendors: readonly string[]): Record<string, bigint> {
  const sums: Record<string, bigint> = {};
  for (const { model, units, vendor } of provider.billed()) {
    if (!vendors.includes(vendor)) continue;
    for (const [unit, name] of Object.entries(UNITS)) {
      const count = Object.entries(units).find(([key]) => key === unit)?.[1] ?? 0;
      const key = `${model} ${name}`;
      if (count > 0) sums[key] = (sums[key] ?? 0n) + BigInt(count);
    }
  }
  return sums;
}

/** The exact cost of what was served, in nano-USD, rounded up by less than one per group. */
function servedNanoUsd(vendor: string): number {
  const requests = provider.billed().filter((one) => one.vendor === vendor);
  return (
    requests.flatMap(({ costs }) => [...costs.values()]).reduce((sum, femto) => sum + Number(femto), 0) / 1e6
  );
}

const money = (lines: readonly BillLine[]) =>
  Number(lines.reduce((sum, { costNanoUsd }) => sum + (costNanoUsd ?? 0n), 0n));

describe('bills of the simulated provider', async () => {
  await (await chat({})).text();
  await (await chat({ stream: true })).text();
  await (await chat({ simulate: { cached_tokens: 5 } })).text();
  await (await post('/v1/embeddings', { model: 'sim-embed-pro', input: 'some words' })).text();
  await (await message()).text();
  await (await message()).text();
  await (
    await post('/model/amazon.nova-2-sim-v1%3A0/converse', {
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
    })
  ).text();
  await (
    await post(
      '/v1beta/models/sim-gemini-pro:generateContent',
      { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
      { 'x-goog-api-key': KEY },
    )
  ).text();

  it('has one entry per request, with a fingerprint of its key and the id of its answer', async () => {
    await expect.poll(() => provider.billed().length).toBe(8);
    const response = await chat({});
    const body: unknown = await response.json();
    await expect.poll(() => provider.billed().length).toBe(9);
    expect(provider.billed().at(-1)).toMatchObject({
      vendor: 'openai',
      requestId: response.headers.get('x-request-id'),
      clientRequestId: 'ours-/v1/chat/completions',
      keyId: simulatedKeyId(KEY),
      state: 'completed',
      isStreamed: false,
    });
    const { units } = provider.billed().at(-1) ?? {};
    expect(body).toMatchObject({
      usage: { prompt_tokens: units?.input, completion_tokens: units?.output },
    });
    expect(JSON.stringify(provider.billed().map(({ costs: _, ...rest }) => rest))).not.toContain(KEY);
  });

  it('a stream that its client leaves costs the input and the tokens until then', async () => {
    const whole = provider.billed().find(({ isStreamed }) => isStreamed);
    const abort = new AbortController();
    const response = await chat(
      { stream: true, max_tokens: 2_000, simulate: { token_delay_ms: 20, content: 'word '.repeat(400) } },
      abort.signal,
    );
    const reader = response.body?.getReader();
    for (let read = 0; read < 5; read++) await reader?.read();
    abort.abort();
    await reader?.closed.catch(() => undefined);
    await expect.poll(() => provider.billed().at(-1)?.state).toBe('aborted');
    const { units } = provider.billed().at(-1) ?? {};
    expect(units?.input).toBe(whole?.units.input);
    expect(units?.output).toBeGreaterThan(0);
    expect(units?.output).toBeLessThan(100);
  });

  it('work that was done is billed although the answer is a 503, late or cut, if the fault says so', async () => {
    const usual = provider.billed()[0]?.units;
    const before = provider.billed().length;
    expect((await chat({ simulate: { status: 503, billed: true } })).status).toBe(503);
    await leaveSilent({ billed: true });
    await expect(chat({ simulate: { reset: 'before_headers', billed: true } })).rejects.toThrow();
    // Without the knob, none of them costs anything.
    expect((await chat({ simulate: { status: 503 } })).status).toBe(503);
    await leaveSilent({});
    await expect.poll(() => provider.billed().length).toBe(before + 3);
    const billed = provider.billed().slice(before);
    expect(billed.map(({ state }) => state).sort()).toEqual(['aborted', 'cut', 'failed']);
    for (const { units } of billed) expect(units).toEqual(usual);
  });

  it('OpenAI: usage and costs by the API, in pages, are what was served', async () => {
    const lines = await linesOf(
      fetchOpenAiBill({ baseUrl: provider.baseUrl, adminKey: ADMIN_KEY, ...range() }),
    );
    const usage = lines.filter(({ costNanoUsd }) => costNanoUsd === null);
    const {
      'sim-chat-pro requests': chats,
      'sim-embed-pro requests': embeddings,
      ...tokens
    } = quantities(usage);
    expect(tokens).toEqual(served(['openai']));
    expect([chats, embeddings]).toEqual([8n, 1n]);
    expect(new Set(usage.map(({ credential }) => credential))).toEqual(new Set([simulatedKeyId(KEY)]));
    // Each line is rounded once.
    const costs = lines.filter(({ costNanoUsd }) => costNanoUsd !== null);
    expect(Math.abs(money(costs) - servedNanoUsd('openai'))).toBeLessThanOrEqual(costs.length / 2);
    expect(money(costs)).toBeGreaterThan(0);
  });

  it('Anthropic: the usage and cost reports are what was served', async () => {
    const lines = await linesOf(
      fetchAnthropicBill({ baseUrl: provider.baseUrl, adminKey: ADMIN_KEY, ...range() }),
    );
    expect(quantities(lines)).toEqual(served(['anthropic']));
    expect(quantities(lines)).toHaveProperty('sim-claude-pro cacheWrite1hTokens');
    expect(quantities(lines)).toHaveProperty('sim-claude-pro cachedInputTokens');
    expect(Math.abs(money(lines) - servedNanoUsd('anthropic'))).toBeLessThanOrEqual(lines.length / 2);
  });

  it('AWS: the report in CSV and Parquet is what was served', async () => {
    const csv = await exported('cur.csv');
    expect(quantities(csv)).toEqual(served(['bedrock']));
    expect(Math.abs(money(csv) - servedNanoUsd('bedrock'))).toBeLessThanOrEqual(csv.length / 2);
    expect(await exported('cur.parquet')).toEqual(csv);
  });

  it('Google Cloud: the billing export is what was served', async () => {
    const lines = await exported('google.csv');
    const expected = Object.entries(served(['google'])).map(([name, count]) => [
      name.replace('sim-', ''),
      count,
    ]);
    expect(quantities(lines)).toEqual(Object.fromEntries(expected));
    expect(Math.abs(money(lines) - servedNanoUsd('google'))).toBeLessThanOrEqual(lines.length / 2);
  });

  it('requests one by one have their ids and are what was served', async () => {
    const lines = await exported('requests.csv');
    const tokens = lines.filter(({ unit }) => unit !== 'requests');
    expect(quantities(tokens)).toEqual(served(['openai', 'anthropic', 'bedrock', 'google']));
    const ids = lines.filter(({ unit }) => unit === 'requests').map(({ requestId }) => requestId);
    expect(ids).toEqual(provider.billed().map(({ requestId }) => requestId));
  });

  it('is shown to the admin key alone', async () => {
    for (const path of [
      '/v1/organization/costs',
      '/v1/organizations/cost_report',
      '/simulated/bill/requests.csv',
    ]) {
      expect(
        (
          await fetch(`${root}${path}`, {
            headers: { authorization: `Bearer ${KEY}`, 'anthropic-version': '2023-06-01' },
          })
        ).status,
      ).toBe(401);
      expect((await fetch(`${root}${path}`)).status).toBe(401);
    }
    const refused = linesOf(fetchOpenAiBill({ baseUrl: provider.baseUrl, adminKey: KEY, ...range() }));
    await expect(refused).rejects.toThrow(/\/v1\/organization\/usage\/completions answered 401/);
  });

  it('comes in pages', async () => {
    const year = { fromMs: Date.now() - 300 * DAY_MS, toMs: Date.now() + DAY_MS };
    const lines = await linesOf(
      fetchAnthropicBill({ baseUrl: provider.baseUrl, adminKey: ADMIN_KEY, ...year }),
    );
    expect(quantities(lines)).toEqual(served(['anthropic']));
  });
});
