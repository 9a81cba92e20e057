import type { UsageReceipt } from '@model-gateway/shared';
import { until, withStarted } from '@model-gateway/test-kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectLedgerAgrees } from '../money/money-fixture.ts';
import { type FallbackGateway, startFallbackGateway } from './fallback-gateway.ts';
import { withoutBreakers } from './without-breakers.ts';

type Fault = Parameters<FallbackGateway['first']['script']>[0];

const TOO_LONG =
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.";
const messages = [{ role: 'user', content: 'What is the capital of France?' }];

/** The three APIs of callers: a request of each, and what ends a stream of its response. */
const APIS = [
  {
    api: 'Chat Completions',
    path: 'chat/completions',
    asks: { messages, max_tokens: 40 },
    end: 'data: [DONE]',
  },
  { api: 'Messages', path: 'messages', asks: { messages, max_tokens: 40 }, end: 'event: message_stop' },
  {
    api: 'Responses',
    path: 'responses',
    asks: { input: 'What is the capital of France?', max_output_tokens: 40, store: false },
    end: /event: response\.(?:completed|incomplete)/,
  },
] as const;

// The first provider fails on purpose, time and again.
const pair = withStarted(() => startFallbackGateway({ overrides: withoutBreakers() }));
beforeEach(() => {
  pair.first.clear();
  pair.second.clear();
});

async function ask({ asks, path }: { asks: object; path: string }, further: object) {
  const { body: text, isBroken, ...response } = await pair.gateway.ask(path, { ...asks, ...further });
  return { response, text, isComplete: !isBroken, receipt: () => pair.gateway.receiptOf(response) };
}

const asked = () => [pair.first.requests.length, pair.second.requests.length];

/** Returns the cost of a request by its receipt, in nano-USD: prices are dollars per million tokens. */
function costOf({ pricing, units }: UsageReceipt): number {
  const { input_per_million_usd = '0', output_per_million_usd = '0' } = pricing ?? {};
  const nanoPerToken = (price: string) => Math.round(Number(price) * 1_000);
  return (
    units.input_tokens * nanoPerToken(input_per_million_usd) +
    units.output_tokens * nanoPerToken(output_per_million_usd)
  );
}

describe.each(APIS)('a caller of $api that names a second model', (api) => {
  describe.each([false, true])('a fallback (stream: %s)', (stream) => {
    const models = ['first/paid', 'second/paid'];

    it.each<[string, Fault, object]>([
      ['fails', { status: 500 }, { status: 500, code: 'upstream_error' }],
      ['resets', { reset: 'before_headers' }, { status: null, code: 'upstream_error' }],
      ['hangs', { hang: 'before_headers' }, { status: null, code: 'upstream_timeout' }],
      [
        'finds the context too long',
        { status: 400, message: TOO_LONG },
        { status: 400, code: 'context_length_exceeded' },
      ],
      ['limits requests', { status: 429, retry_after: 30 }, { status: 429, code: 'upstream_rate_limited' }],
      ['refuses the credential', { status: 401 }, { status: 401, code: 'upstream_error' }],
      ['does not have the model', { status: 404 }, { status: 404, code: 'upstream_error' }],
      ['sends HTML', { rubbish: 'html' }, { status: 200, code: 'upstream_error' }],
    ])('the second model answers at its own price, once, when the first %s', async (_name, fault, failed) => {
      // A connection that broke is tried once more.
      pair.first.script(fault, fault);
      const { response, text, isComplete, receipt: read } = await ask(api, { models, stream });
      expect(response.status, text).toBe(200);
      expect(isComplete).toBe(true);
      if (stream) expect(text).toMatch(api.end);
      expect(response.headers.get('x-gateway-model')).toBe('second/paid');
      expect(text).toContain('"model":"second/paid"');
      expect(text).not.toContain('first/paid');
      expect(pair.second.requests).toHaveLength(1);
      expect(JSON.stringify(pair.second.requests[0]?.body)).not.toContain('"models"');

      const receipt = await read();
      expect(receipt).toMatchObject({ model: 'second/paid', status: 200, billing_reason: 'completed' });
      const tried = receipt.attempts.slice(0, -1);
      expect(tried).not.toHaveLength(0);
      for (const attempt of tried)
        expect(attempt).toMatchObject({ provider: 'first', model: 'first/paid', ...failed });
      expect(receipt.attempts.at(-1)).toMatchObject({
        provider: 'second',
        model: 'second/paid',
        status: 200,
      });
      expect(receipt.pricing?.output_per_million_usd).toBe('15.00');
      expect(receipt.units.output_tokens).toBeGreaterThan(0);
      expect(Math.round(Number(receipt.settled_usd) * 1e9)).toBe(costOf(receipt));
      const rows = await pair.gateway.books.query('SELECT * FROM usage_records WHERE request_id = $1', [
        response.headers.get('x-request-id'),
      ]);
      expect(rows).toHaveLength(1);
    });

    it('a mistake of the request itself is refused, and no other model is asked', async () => {
      pair.first.script({ status: 400, message: 'temperature: no such number' });
      const { response, text, receipt } = await ask(api, { models, stream });
      expect(response.status).toBe(400);
      expect(text).toContain('no such number');
      expect(asked()).toEqual([1, 0]);
      expect(await receipt()).toMatchObject({ model: 'first/paid', settled_usd: '0.000000000' });
    });

    it('the last failure is returned when all models fail, under the last model, for free', async () => {
      pair.first.script({ status: 500 });
      pair.second.script({ status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' });
      const { response, text, receipt } = await ask(api, { models, stream });
      expect(response.status).toBe(400);
      expect(text).toContain('prompt is too long');
      expect(response.headers.get('x-gateway-model')).toBe('second/paid');
      expect(asked()).toEqual([1, 1]);
      expect(await receipt()).toMatchObject({
        model: 'second/paid',
        status: 400,
        settled_usd: '0.000000000',
        attempts: [{ model: 'first/paid' }, { model: 'second/paid' }],
      });
    });

    it('the second model answers when nobody listens at the first', async () => {
      const { response, text } = await ask(api, { model: 'dead/paid', models: ['second/paid'], stream });
      expect(response.status, text).toBe(200);
      expect(response.headers.get('x-gateway-model')).toBe('second/paid');
    });
  });

  it('a stream that breaks after its first byte does not fall back', async () => {
    const content = 'word '.repeat(60);
    pair.first.script({ reset: { after_events: 5 }, content });
    const models = ['first/paid', 'second/paid'];
    const { response, text, isComplete, receipt } = await ask(api, { models, stream: true });
    expect(response.headers.get('x-gateway-model')).toBe('first/paid');
    expect(isComplete).toBe(false);
    expect(text).not.toMatch(api.end);
    expect(asked()).toEqual([1, 0]);
    expect(await receipt()).toMatchObject({ model: 'first/paid', status: 200, code: 'upstream_error' });
    expect((await receipt()).attempts).toHaveLength(1);
  });

  it('a caller that left causes no fallback', async () => {
    pair.first.script({ hang: 'before_headers' });
    const gone = () => pair.gateway.logText().split('"outcome":"client_gone"').length;
    const before = gone();
    const leave = new AbortController();
    const body = { ...api.asks, models: ['first/free', 'second/free'], stream: true };
    const left = pair.gateway.post(api.path, body, { signal: leave.signal });
    await until(() => pair.first.requests.length === 1);
    leave.abort();
    await expect(left).rejects.toThrow();
    await until(() => gone() > before);
    expect(asked()).toEqual([1, 0]);
  });
});

it.each([false, true])(
  'a conversation in which one model thought stays with it, although another is named first (stream: %s)',
  async (stream) => {
    // Thoughts of the first provider, with a signature that the second one does not know.
    const thinking = { type: 'thinking', thinking: 'Paris?', signature: 'c2lnbmVk' };
    const asks = {
      max_tokens: 2_000,
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      messages: [
        ...messages,
        { role: 'assistant', content: [thinking, { type: 'text', text: 'Paris.' }] },
        { role: 'user', content: 'And of Spain?' },
      ],
    };
    const { response, text } = await ask(
      { path: 'messages', asks },
      { models: ['second/free', 'first/free'], stream },
    );
    expect(response.status, text).toBe(200);
    expect(response.headers.get('x-gateway-model')).toBe('first/free');
    expect(asked()).toEqual([1, 1]);
  },
);

const audio = { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } };

describe.each<[string, string, string[], object]>([
  ['Chat Completions', 'chat/completions', ['first/paid', 'second/paid'], { messages, logprobs: true }],
  ['Responses', 'responses', ['first/paid', 'second/paid'], { input: [{ role: 'user', content: [audio] }] }],
  ['Messages', 'messages', ['second/paid', 'first/paid'], { messages, max_tokens: 9, thread: 'a' }],
])('a caller of %s, one of whose models lacks a field', (_api, path, models, asks) => {
  it.each([false, true])(
    'the failure of the model that was asked is returned (stream: %s)',
    async (stream) => {
      const [asked, lacking] =
        models[0] === 'first/paid' ? [pair.first, pair.second] : [pair.second, pair.first];
      // In either order, because a model that lacks a field is skipped.
      for (const named of [models, models.toReversed()]) {
        asked.script({ status: 429, retry_after: 30 });
        const { response, text, receipt } = await ask({ path, asks }, { models: named, stream });
        expect(response.status, text).toBe(429);
        expect(response.headers.get('retry-after')).toBe('30');
        expect(response.headers.get('x-gateway-model')).toBe(models[0]);
        expect(lacking.requests).toHaveLength(0);
        expect(await receipt()).toMatchObject({
          ...{ model: models[0], status: 429, billing_reason: 'upstream_failed_free' },
          attempts: [{ status: 429 }],
        });
      }
    },
  );
});

it('fallbacks leave no reserved money, and the ledger agrees', () => expectLedgerAgrees(pair.gateway));
