import Anthropic from '@anthropic-ai/sdk';
import { withGateway } from '@model-gateway/test-kit';
import OpenAI from 'openai';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { anthropicOf, openAiOf } from '../endpoints/official-clients.ts';
import { withoutBreakers } from '../providers/without-breakers.ts';
import { expectLedgerAgrees, nano, payingKey } from './money-fixture.ts';
import {
  deliveredText,
  MODELS,
  PATHS,
  PRICES,
  readCut,
  STREAMS,
  type StreamPath,
  stepwiseCatalog,
} from './stepwise-catalog.ts';

const gateway = withGateway({ ownPools: true, document: stepwiseCatalog, overrides: withoutBreakers() });
afterAll(() => expectLedgerAgrees(gateway));

/** Twelve thousand tokens, 60 kB. */
const STORY = 'word '.repeat(12_000);
/** Covers the first 4,096 tokens, twice that, and one small step. */
const POOL = '0.02';
const MAX_BYTES = 3 * (2 * 4_096 + 1 + 1_024);
const ERRORS: Record<StreamPath, RegExp> = {
  'chat/completions': /\ndata: \{"error":\{[^\n]*"code":"insufficient_balance"[^\n]*\}\n\n$/,
  messages:
    /\nevent: error\ndata: \{"type":"error","error":\{"needed_usd":[^\n]*"type":"billing_error"[^\n]*\n\n$/,
  responses: /\nevent: response\.failed\ndata: [^\n]*"code":"insufficient_quota"[^\n]*\n\n$/,
};

async function stream(path: StreamPath, model: string, rawKey: string, more: object = {}, content = STORY) {
  gateway.provider.script({ content });
  const body = { ...STREAMS[path].body, model, ...more };
  const response = await gateway.post(path, body, { key: rawKey });
  const events = await readCut(response);
  expect(response.status, events.slice(0, 500)).toBe(200);
  return { events, text: deliveredText(path, events), row: await gateway.recordOf(response) };
}

const ALL = PATHS.flatMap((path) => MODELS.map((model) => ({ path, model })));

describe('a stream whose output the pools do not cover to its end', () => {
  it.each(ALL)(
    'ends with the 402 event of its API and is billed for what was delivered: $path at $model',
    async ({ path, model }) => {
      const { rawKey } = await payingKey(gateway, POOL);
      const { events, row, text } = await stream(path, model, rawKey);
      expect(events).toMatch(ERRORS[path]);
      expect(text.length).toBeGreaterThan(MAX_BYTES - 3 * 1_024);
      expect(text.length).toBeLessThanOrEqual(MAX_BYTES);
      const delivered = BigInt(Math.ceil(text.length / 4));
      expect(row).toMatchObject({
        billing_reason: 'aborted_partial',
        usage_source: 'estimated',
        output_tokens: delivered,
        uncollected: 0n,
        client_status: 200,
        client_error_code: 'insufficient_balance',
      });
      expect(row.charged).toBe(BigInt(String(row.input_tokens)) * PRICES.input + delivered * PRICES.output);
      expect(BigInt(String(row.held))).toBeLessThanOrEqual(nano(POOL));
      expect(BigInt(String(row.held))).toBeGreaterThanOrEqual(BigInt(String(row.charged)));
    },
  );

  it.each(ALL)(
    'is whole when they do, and cost what its provider counted: $path at $model',
    async ({ path, model }) => {
      const { rawKey } = await payingKey(gateway, '1');
      const { row, text } = await stream(path, model, rawKey);
      expect(text).toBe(STORY);
      expect(row).toMatchObject({ billing_reason: 'completed', usage_source: 'provider' });
      const output = BigInt(String(row.output_tokens));
      expect(output).toBeGreaterThanOrEqual(12_000n);
      expect(row.charged).toBe(BigInt(String(row.input_tokens)) * PRICES.input + output * PRICES.output);
      // Doubled from 4,096 until it covered a token per three bytes.
      const held = BigInt(String(row.held));
      expect(held).toBeGreaterThanOrEqual(32_768n * PRICES.output);
      expect(held).toBeLessThan(33_000n * PRICES.output);
    },
  );
});

it('a stream reserves 4,096 tokens of output at first, a plain answer all that it may have', async () => {
  const { rawKey } = await payingKey(gateway, '0.009');
  gateway.provider.script({ content: 'Hello.' });
  const body = { ...STREAMS['chat/completions'].body, model: 'step/chat' };
  const streamed = await gateway.ask('chat/completions', body, { key: rawKey });
  expect(streamed.status, streamed.body).toBe(200);
  const { held } = await gateway.recordOf(streamed);
  expect(held).toBeGreaterThan(4_096n * PRICES.output);
  expect(held).toBeLessThan(4_200n * PRICES.output);
  const plain = await gateway.ask('chat/completions', { ...body, stream: false }, { key: rawKey });
  expect(plain.status).toBe(402);
  expect(nano(JSON.parse(plain.body).error.needed_usd)).toBeGreaterThan(50_000n * PRICES.output);
});

it('a stream that must reserve all of its output, because requests run one at a time, is refused with that sum', async () => {
  const {
    pools: [pool],
    rawKey,
  } = await payingKey(gateway, '0.05');
  await gateway.books.query('UPDATE pools SET uncollected = 2 * remaining WHERE id = $1', [pool]);
  const body = { ...STREAMS['chat/completions'].body, model: 'step/chat' };
  const refused = await gateway.ask('chat/completions', body, { key: rawKey });
  expect(refused.status).toBe(402);
  const { error } = JSON.parse(refused.body);
  expect(nano(error.needed_usd)).toBeGreaterThan(50_000n * PRICES.output);
  expect(error.available_usd).toBe('0.050000000');
  expect(refused.headers.get('x-should-retry')).toBe('false');
});

it('a response that its provider stores reserves all of its output', async () => {
  const { rawKey } = await payingKey(gateway, '1');
  const { row } = await stream('responses', 'step/responses', rawKey, { store: true });
  expect(BigInt(String(row.held))).toBeGreaterThan(50_000n * PRICES.output);
});

it('a model that can speak reserves all of its output, because the bytes of speech do not tell its tokens', async () => {
  const { rawKey } = await payingKey(gateway, '1');
  const { row } = await stream('chat/completions', 'step/voice', rawKey, {}, 'Hello.');
  expect(BigInt(String(row.held))).toBeGreaterThan(50_000n * PRICES.output);
});

it.each<[string, object, bigint, bigint]>([
  ['the input price without a mark', {}, 1_000n, 1_200n],
  ['the price of cache writes with one', { type: 'ephemeral' }, 1_250n, 1_450n],
  ['the price of writes for an hour with such a mark', { type: 'ephemeral', ttl: '1h' }, 2_000n, 2_200n],
])('a prompt reserves %s', async (_name, mark, min, max) => {
  const { rawKey } = await payingKey(gateway, '1');
  const text = 'the quick brown fox jumps over it '.repeat(3_000);
  const cache = 'type' in mark ? { cache_control: mark } : {};
  const content = [{ type: 'text', text, ...cache }];
  const asked = { max_tokens: 10, messages: [{ role: 'user', content }] };
  const { row } = await stream('messages', 'step/claude', rawKey, asked, 'Hello.');
  // A token per three bytes of the JSON, and 15 %.
  const perToken = BigInt(String(row.held)) / BigInt(Math.ceil((text.length / 3) * 1.15));
  expect(perToken).toBeGreaterThanOrEqual(min);
  expect(perToken).toBeLessThan(max);
  expect(BigInt(String(row.held))).toBeGreaterThanOrEqual(BigInt(String(row.cost)));
});

describe('the official clients', () => {
  beforeEach(() => gateway.provider.script({ content: STORY }));
  const messages = [{ role: 'user' as const, content: 'Tell me a long story.' }];
  const read = async (events: AsyncIterable<unknown>) => {
    let count = 0;
    for await (const _ of events) count += 1;
    return count;
  };

  it('get an error of their own for the end of the balance in Chat Completions', async () => {
    const { rawKey: key } = await payingKey(gateway, POOL);
    const body = { model: 'step/chat', messages, max_tokens: 50_000, stream: true as const };
    const failure = await openAiOf(gateway, key)
      .chat.completions.create(body)
      .then(read)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OpenAI.APIError);
    expect(failure).toMatchObject({ code: 'insufficient_balance' });
  });

  it('get an error of their own for the end of the balance in Messages', async () => {
    const { rawKey: key } = await payingKey(gateway, POOL);
    const body = { model: 'step/claude', messages, max_tokens: 50_000 };
    const failure = await anthropicOf(gateway, key)
      .messages.stream(body)
      .finalMessage()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Anthropic.APIError);
    expect(String(failure)).toContain('insufficient_balance');
  });

  it('get a failed response for the end of the balance in Responses', async () => {
    const { rawKey: key } = await payingKey(gateway, POOL);
    const request = {
      model: 'step/responses',
      input: 'Tell me a long story.',
      max_output_tokens: 50_000,
      stream: true as const,
      store: false,
    };
    const seen: OpenAI.Responses.ResponseStreamEvent[] = [];
    try {
      for await (const event of await openAiOf(gateway, key).responses.create(request)) seen.push(event);
    } catch {
      // The gateway breaks incomplete streams off.
    }
    expect(seen.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'insufficient_quota' } },
    });
  });
});
