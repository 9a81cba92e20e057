import type { CatalogDocumentInput } from '@model-gateway/shared';
import { addPool, simulatedCatalog, until, untilWithin, withGateway } from '@model-gateway/test-kit';
import { afterAll, describe, expect, it } from 'vitest';
import { wavOf } from '../endpoints/wav.ts';
import { nano, payingKey, verifyLedger, warmKey } from './money-fixture.ts';

const MILLION = 1_000_000n;

/** The simulated models at prices that leave fractions of a nano-USD everywhere. */
function oddPrices(baseUrl: string, chatInputUsd = '1.000000007'): CatalogDocumentInput {
  const pricings: Record<string, object> = {
    'sim/chat-pro': {
      input_per_million_usd: chatInputUsd,
      cached_input_per_million_usd: '0.300000001',
      output_per_million_usd: '2.000000003',
    },
    'sim/complete-pro': { input_per_million_usd: '1.500000001', output_per_million_usd: '2.000000009' },
    'sim/embed-pro': { input_per_million_usd: '0.13' },
    'sim/rerank-pro': { search_unit_usd: '0.002000001', input_per_million_usd: '0.05' },
    'sim/moderate-pro': { input_per_million_usd: '0.070000001' },
    'sim/image-pro': { image_usd: '0.040000001' },
    'sim/speech-pro': { characters_per_million_usd: '15.000000001' },
    'sim/transcribe-pro': { audio_second_usd: '0.000100001' },
  };
  const document = simulatedCatalog(baseUrl);
  return {
    ...document,
    models: document.models.map((model) => ({ ...model, pricing: pricings[model.id] ?? {} })),
  };
}

/** Millionths of a nano-USD, rounded up to whole nano-USD. */
const roundedUp = (sum: bigint) => (sum + MILLION - 1n) / MILLION;

const gateway = withGateway({ ownPools: true, document: oddPrices });
afterAll(async () => {
  expect((await verifyLedger(gateway)).disagreements).toEqual([]);
});

/** @returns the answer and what is stored of it */
async function paid(rawKey: string, path: string, body: object) {
  const response = await gateway.ask(path, body, { key: rawKey });
  expect(response.status, response.body).toBe(200);
  return { text: response.body, row: await gateway.recordOf(response) };
}

const paidChat = (more = {}) => ({
  model: 'sim/chat-pro',
  messages: [{ role: 'user', content: 'Count from one to twenty, please.' }],
  max_tokens: 37,
  ...more,
});

function transcribe(rawKey: string, file: Buffer): Promise<Response> {
  const form = new FormData();
  form.set('model', 'sim/transcribe-pro');
  form.set('response_format', 'verbose_json');
  form.set('file', new Blob([new Uint8Array(file)], { type: 'audio/wav' }), 'audio.wav');
  return gateway.post('audio/transcriptions', form, { key: rawKey });
}

/** A WAV file of 3 kbit/s, half of what a reservation assumes. */
const SLOW_HERTZ = 375;
function slowWav(seconds: number): Buffer {
  const file = Buffer.alloc(44 + seconds * SLOW_HERTZ, 0x80);
  wavOf(0, SLOW_HERTZ).copy(file);
  file.writeUInt32LE(36 + seconds * SLOW_HERTZ, 4);
  file.writeUInt32LE(SLOW_HERTZ, 28);
  file.writeUInt16LE(1, 32);
  file.writeUInt16LE(8, 34);
  file.writeUInt32LE(seconds * SLOW_HERTZ, 40);
  return file;
}

describe('the exact cost of a request', () => {
  it.each([
    ['plain', {}, 0],
    ['with cached tokens', { simulate: { cached_tokens: 5 } }, 5],
    [
      'streamed, with cached tokens',
      { stream: true, stream_options: { include_usage: true }, simulate: { cached_tokens: 3 } },
      3,
    ],
    ['with three choices', { n: 3 }, 0],
  ])(
    'a chat costs its input, cached and output tokens, rounded up once: %s',
    async (_, more, cachedTokens) => {
      const { rawKey } = await payingKey(gateway, '1.00');
      const { text, row } = await paid(rawKey, 'chat/completions', paidChat(more));
      const usage = JSON.parse(/"usage":(\{"prompt_tokens":.*?\}.*?\}\s*\})/.exec(text)?.[1] ?? '');
      const [input, output] = [BigInt(usage.prompt_tokens), BigInt(usage.completion_tokens)];
      const cached = BigInt(usage.prompt_tokens_details.cached_tokens);
      expect(cached).toBe(BigInt(cachedTokens));
      expect(output).toBeGreaterThan(0n);
      const cost = roundedUp(
        (input - cached) * 1_000_000_007n + cached * 300_000_001n + output * 2_000_000_003n,
      );
      expect(row).toMatchObject({ cost, charged: cost, uncollected: 0n, billing_reason: 'completed' });
      expect(row).toMatchObject({ input_tokens: input, cached_input_tokens: cached, output_tokens: output });
    },
  );

  it('embeddings cost their input tokens', async () => {
    const { rawKey } = await payingKey(gateway, '1.00');
    const { text, row } = await paid(rawKey, 'embeddings', {
      model: 'sim/embed-pro',
      input: ['a lighthouse', 'the sea at night'],
    });
    const input = BigInt(JSON.parse(text).usage.prompt_tokens);
    expect(input).toBeGreaterThan(0n);
    const cost = roundedUp(input * 130_000_000n);
    expect(row).toMatchObject({ input_tokens: input, cost, charged: cost });
  });

  it('images cost the number that came', async () => {
    const { rawKey } = await payingKey(gateway, '1.00');
    const { text, row } = await paid(rawKey, 'images/generations', {
      model: 'sim/image-pro',
      prompt: 'a lighthouse',
      n: 3,
    });
    const images = BigInt(JSON.parse(text).data.length);
    expect(row).toMatchObject({ images: 3n, cost: images * 40_000_001n, charged: 120_000_003n });
  });

  it('speech costs its characters, not bytes or UTF-16 units', async () => {
    const { rawKey } = await payingKey(gateway, '1.00');
    const input = 'Grüße vom 🗼!';
    const { row } = await paid(rawKey, 'audio/speech', { model: 'sim/speech-pro', input, voice: 'alloy' });
    const characters = BigInt([...input].length);
    const cost = roundedUp(characters * 15_000_000_001n);
    expect(row).toMatchObject({ characters, cost, charged: cost });
  });

  it('a transcription costs its milliseconds of audio', async () => {
    const { rawKey } = await payingKey(gateway, '1.00');
    const response = await transcribe(rawKey, wavOf(2.345));
    const { duration } = (await response.json()) as { duration: number };
    expect(duration).toBe(2.345);
    // 0.000100001 USD a second are 100001 nano-USD, or 100.001 a millisecond.
    const cost = roundedUp(2_345n * 100_001_000n);
    expect(await gateway.recordOf(response)).toMatchObject({ audio_ms: 2_345n, cost, charged: cost });
  });

  it('a text completion costs its tokens', async () => {
    const { rawKey } = await payingKey(gateway, '1.00');
    const { text, row } = await paid(rawKey, 'completions', {
      model: 'sim/complete-pro',
      prompt: ['one', 'two words'],
      n: 2,
    });
    const { completion_tokens: output, prompt_tokens: input } = JSON.parse(text).usage;
    const cost = roundedUp(BigInt(input) * 1_500_000_001n + BigInt(output) * 2_000_000_009n);
    expect(row).toMatchObject({
      input_tokens: BigInt(input),
      output_tokens: BigInt(output),
      cost,
      charged: cost,
    });
  });

  it('a moderation costs the tokens of its texts', async () => {
    const { rawKey } = await payingKey(gateway, '1.00');
    const { text, row } = await paid(rawKey, 'moderations', {
      model: 'sim/moderate-pro',
      input: ['one', 'two'],
    });
    const { prompt_tokens: tokens } = JSON.parse(text).usage;
    const cost = roundedUp(BigInt(tokens) * 70_000_001n);
    expect(row).toMatchObject({ input_tokens: BigInt(tokens), cost, charged: cost });
  });

  it('a ranking costs its search units and its tokens', async () => {
    const { rawKey } = await payingKey(gateway, '1.00');
    const { text, row } = await paid(rawKey, 'rerank', {
      model: 'sim/rerank-pro',
      query: 'light',
      documents: Array.from({ length: 101 }, (_, index) => `document ${index}`),
    });
    const { search_units: units, total_tokens: tokens } = JSON.parse(text).usage;
    expect(units).toBe(2);
    const cost = roundedUp(BigInt(units) * 2_000_001n * MILLION + BigInt(tokens) * 50_000_000n);
    expect(row).toMatchObject({ search_units: 2n, input_tokens: BigInt(tokens), cost, charged: cost });
  });
});

it('a request is charged at the price that was in force when its money was reserved', async () => {
  const { rawKey } = await payingKey(gateway, '1.00');
  const slow = paidChat({ simulate: { delay_ms: 1_000 } });
  const running = gateway.post('chat/completions', slow, { key: rawKey });
  await gateway.provider.waitForRequest(({ body }) => JSON.stringify(body).includes('"delay_ms":1000'));
  await gateway.applyCatalog(oddPrices(gateway.provider.baseUrl, '500'));
  try {
    let later: Record<string, unknown> = {};
    await until(async () => {
      later = (await paid(rawKey, 'chat/completions', paidChat())).row;
      return later.price_version === 2;
    });
    const cost = (row: Record<string, unknown>, inputPrice: bigint) =>
      roundedUp(
        BigInt(String(row.input_tokens)) * inputPrice + BigInt(String(row.output_tokens)) * 2_000_000_003n,
      );
    expect(later.cost).toBe(cost(later, 500_000_000_000n));
    const response = await running;
    await response.arrayBuffer();
    const row = await gateway.recordOf(response);
    expect(row).toMatchObject({ price_version: 1, cost: cost(row, 1_000_000_007n) });
  } finally {
    await gateway.applyCatalog(oddPrices(gateway.provider.baseUrl));
    await until(async () => (await paid(rawKey, 'chat/completions', paidChat())).row.price_version === 3);
  }
});

it.each([
  ['chat/completions', { model: 'sim/chat-free', messages: [{ role: 'user', content: 'hi' }] }],
  ['images/generations', { model: 'sim/image-free', prompt: 'hi', n: 2 }],
  ['audio/speech', { model: 'sim/speech-free', input: 'hi', voice: 'alloy' }],
  ['rerank', { model: 'sim/rerank-free', query: 'hi', documents: ['ho'] }],
  ['embeddings', { model: 'sim/embed-free', input: 'hi' }],
  ['moderations', { model: 'sim/moderate-free', input: 'hi' }],
  ['completions', { model: 'sim/complete-free', prompt: 'hi' }],
])('a free model costs nothing and needs no pool: %s', async (path, body) => {
  const { rawKey, account } = await payingKey(gateway);
  const { row } = await paid(rawKey, path, body);
  expect(row).toMatchObject({ account_id: account, cost: 0n, charged: 0n, held: 0n, price_version: null });
});

describe('the 402 error', () => {
  const image = { model: 'sim/image-pro', prompt: 'a lighthouse' };

  it('a request without a pool gets 402 with what is needed and available, and no advice to retry', async () => {
    const { rawKey } = await payingKey(gateway);
    gateway.provider.clear();
    const response = await gateway.post('images/generations', image, { key: rawKey });
    expect(response.status).toBe(402);
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(response.headers.get('retry-after')).toBeNull();
    expect(await response.json()).toEqual({
      error: {
        message: expect.stringContaining('0.040000001 USD'),
        type: 'insufficient_balance',
        code: 'insufficient_balance',
        param: null,
        request_id: response.headers.get('x-request-id'),
        needed_usd: '0.040000001',
        available_usd: '0.000000000',
        held_usd: '0.000000000',
        resets_at: null,
      },
    });
    expect(gateway.provider.requests).toHaveLength(0);
    const stored = await gateway.books.query('SELECT 1 FROM usage_records WHERE request_id = $1', [
      response.headers.get('x-request-id'),
    ]);
    expect(stored).toEqual([]);
  });

  it("a request that waits for another's reservation gets 402 with Retry-After, and then succeeds", async () => {
    const { rawKey, pools } = await payingKey(gateway, '0.05');
    const first = gateway.post(
      'images/generations',
      {
        ...image,
        simulate: { delay_ms: 3_000, status: 400 },
      },
      { key: rawKey },
    );
    await until(async () =>
      (await gateway.books.pools()).some(({ id, held }) => id === pools[0] && held > 0n),
    );
    const refused = await gateway.post('images/generations', image, { key: rawKey });
    expect(refused.status).toBe(402);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('x-should-retry')).toBeNull();
    expect(await refused.json()).toMatchObject({
      error: { needed_usd: '0.040000001', available_usd: '0.009999999', held_usd: '0.040000001' },
    });
    expect((await first).status).toBe(400);
    await untilWithin(3_000, async () => {
      const { status } = await gateway.ask('images/generations', image, { key: rawKey });
      if (status !== 402) expect(status).toBe(200);
      return status === 200;
    });
    await until(async () =>
      (await gateway.books.pools()).some(({ id, charged }) => id === pools[0] && charged === 40_000_001n),
    );
  });

  it.each([
    ['short', 'hi', '0.0003'],
    ['long', 'word '.repeat(500), '0.01'],
  ])(
    'the 402 without max_tokens names the largest value that the balance covers: %s',
    async (_, content, has) => {
      const { rawKey } = await payingKey(gateway, has);
      const body = { model: 'sim/chat-pro', messages: [{ role: 'user', content }] };
      const refused = await gateway.post('chat/completions', body, { key: rawKey });
      expect(refused.status).toBe(402);
      const { error } = (await refused.json()) as { error: Record<string, unknown> & { max_tokens: number } };
      expect(error.message).toContain(`max_tokens to at most ${error.max_tokens}`);
      const followed = { ...body, max_tokens: error.max_tokens };
      // It is the largest one, but for the bytes that the advice itself takes.
      const tooMuch = { ...body, max_tokens: error.max_tokens + 30 };
      expect((await gateway.post('chat/completions', tooMuch, { key: rawKey })).status).toBe(402);
      const { row } = await paid(rawKey, 'chat/completions', followed);
      expect(row.uncollected).toBe(0n);
      expect(row.held).toBeLessThanOrEqual(nano(has));
    },
  );

  it('the 402 of Responses names max_output_tokens', async () => {
    const { rawKey } = await payingKey(gateway, '0.0003');
    const refused = await gateway.post(
      'responses',
      {
        model: 'sim/chat-pro',
        input: 'hi',
      },
      { key: rawKey },
    );
    expect(refused.status).toBe(402);
    expect(await refused.text()).toContain('Set max_output_tokens to at most');
  });
});

describe('audio that lasts longer than its size suggests', () => {
  it('long audio is paid from what the pool has left', async () => {
    const { rawKey } = await payingKey(gateway, '1.00');
    const response = await transcribe(rawKey, slowWav(60));
    expect(response.status).toBe(200);
    const row = await gateway.recordOf(response);
    const cost = roundedUp(60_000n * 100_001_000n);
    expect(row).toMatchObject({ audio_ms: 60_000n, cost, charged: cost, uncollected: 0n });
    expect(row.held).toBeLessThan(cost);
  });

  it('long audio beyond the balance is uncollected, and no balance goes below zero', async () => {
    const { rawKey, pools } = await payingKey(gateway, '0.004');
    const response = await transcribe(rawKey, slowWav(60));
    expect(response.status).toBe(200);
    const row = await gateway.recordOf(response);
    const cost = roundedUp(60_000n * 100_001_000n);
    expect(row).toMatchObject({ cost, charged: 4_000_000n, uncollected: cost - 4_000_000n });
    const pool = (await gateway.books.pools()).find(({ id }) => id === pools[0]);
    expect(pool).toMatchObject({ remaining: 0n, held: 0n, charged: 4_000_000n });
    // A payer in debt is refused like any other, and gets nothing.
    await warmKey(gateway.baseUrl, rawKey);
    expect((await transcribe(rawKey, slowWav(60))).status).toBe(402);
  });

  it('uncollected money is not charged later', async () => {
    const { account, rawKey } = await payingKey(gateway, '0.004');
    await gateway.recordOf(await transcribe(rawKey, slowWav(60)));
    // Enough for the next request, not for what the last one could not pay as well.
    await addPool(gateway.admin, { kind: 'account', id: account }, '0.006100000');
    const response = await transcribe(rawKey, slowWav(60));
    expect(response.status).toBe(200);
    expect(await gateway.recordOf(response)).toMatchObject({ uncollected: 0n });
  });
});
