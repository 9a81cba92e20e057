import { addPool, envelopeOf, until, withStarted } from '@model-gateway/test-kit';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectLedgerAgrees, payingKey } from '../money/money-fixture.ts';
import { startFallbackGateway } from './fallback-gateway.ts';

const KEEP_ALIVE_MS = 20;
const messages = [{ role: 'user', content: 'hi' }];
let rawKey: string;

const pair = withStarted(() =>
  startFallbackGateway({
    ownPools: true,
    overrides: { streamTimings: { keepAliveMs: KEEP_ALIVE_MS } },
  }),
);
beforeAll(async () => {
  ({ rawKey } = await payingKey(pair.gateway, '1000'));
});
beforeEach(() => {
  pair.first.clear();
  pair.second.clear();
});

async function chat(body: object, key = rawKey) {
  return pair.gateway.ask('chat/completions', { messages, max_tokens: 20, ...body }, { key });
}

describe('the models that a caller names', () => {
  it.each([
    [
      'a name that no model has',
      { model: 'first/free', models: ['second/free', 'nobody/x'] },
      404,
      'model_not_found',
      'models',
      'nobody/x',
    ],
    [
      'more than eight',
      { models: Array.from({ length: 9 }, (_, index) => `first/${index}`) },
      400,
      'invalid_request',
      'models',
      'at most 8',
    ],
    ['none', { models: [] }, 400, 'invalid_request', 'model', 'is required'],
    ['no list', { models: 'first/free' }, 400, 'invalid_request', 'models', 'list'],
  ])('named models are refused when there is %s', async (_name, body, status, code, param, words) => {
    const answer = await chat(body);
    expect(answer.status, answer.body).toBe(status);
    expect(envelopeOf(answer)).toMatchObject({ code, param });
    expect(answer.body).toContain(words);
    expect(pair.first.requests).toHaveLength(0);
  });

  it('a model that is named twice is asked once', async () => {
    pair.first.script({ status: 500 });
    pair.second.script({ status: 529, message: 'overloaded' });
    const answer = await chat({ model: 'first/free', models: ['first/free', 'second/free', 'second/free'] });
    expect(answer.status).toBe(502);
    expect([pair.first.requests.length, pair.second.requests.length]).toEqual([1, 1]);
  });

  it('a single named model is asked like `model`', async () => {
    const answer = await chat({ models: ['first/free'] });
    expect(JSON.parse(answer.body)).toMatchObject({ model: 'first/free' });
  });
});

describe('the limits and the money of a fallback', () => {
  it('a request that names models of both tiers counts against the limits of both', async () => {
    const account = await pair.gateway.createAccount();
    await pair.gateway.admin.call(10_000, 'accounts', 'setLimits', {
      account,
      freePerMinute: { value: 2 },
      paidPerMinute: { value: 5 },
    });
    await addPool(pair.gateway.admin, { kind: 'account', id: account }, '10');
    const { rawKey: limited } = await pair.gateway.createKey(account);
    const both = { model: 'first/paid', models: ['second/free'] };
    const first = await chat(both, limited);
    expect(first.status, first.body).toBe(200);
    expect(first.headers.get('ratelimit-policy')).toContain('"key.free";q=2');
    expect(first.headers.get('ratelimit-policy')).toContain('"key.paid";q=5');
    expect((await chat(both, limited)).status).toBe(200);
    const refused = await chat(both, limited);
    expect(refused.status).toBe(429);
    expect(refused.body).toContain('2 requests per minute to free models');
    expect((await chat({ model: 'first/paid' }, limited)).status).toBe(200);
    expect((await chat({ model: 'first/free' }, limited)).status).toBe(429);
  });

  it('a request reserves the price of its most expensive model, and is refused when the balance lacks it', async () => {
    // Enough for the first alone.
    const poor = await payingKey(pair.gateway, '0.001');
    const alone = await chat({ model: 'first/paid' }, poor.rawKey);
    expect(alone.status, alone.body).toBe(200);
    const free = await chat({ model: 'first/free', models: ['dead/paid'] }, poor.rawKey);
    expect(free.status).toBe(402);
    const dear = await chat({ model: 'first/paid', models: ['dead/paid'] }, poor.rawKey);
    const asIfAlone = await chat({ model: 'dead/paid' }, poor.rawKey);
    expect(dear.status).toBe(402);
    expect(Number(JSON.parse(dear.body).error.needed_usd)).toBeGreaterThanOrEqual(
      Number(JSON.parse(asIfAlone.body).error.needed_usd),
    );
    const rich = await chat({ model: 'first/paid', models: ['dead/paid'] });
    const row = await pair.gateway.recordOf(rich);
    expect(row.held).toBeGreaterThan(4_000_000n);
    expect(row).toMatchObject({ model_id: 'first/paid' });
    expect(row.charged).toBeLessThan(100_000n);
  });

  it('a free model answers at once when a paid one failed, and costs nothing', async () => {
    pair.first.script({ status: 500 });
    const answer = await chat({ model: 'first/paid', models: ['second/free'] });
    expect(JSON.parse(answer.body)).toMatchObject({ model: 'second/free' });
    const row = await pair.gateway.recordOf(answer);
    expect(row).toMatchObject({ model_id: 'second/free', price_version: null, cost: 0n, charged: 0n });
  });

  it('a request for provider-stored state never falls back', async () => {
    const before = {
      model: 'first/free',
      models: ['second/free'],
      input: 'hi',
      previous_response_id: 'resp_none',
    };
    const response = await pair.gateway.ask('responses', before, { key: rawKey });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect([pair.first.requests.length, pair.second.requests.length]).toEqual([0, 0]);
  });
});

describe('a fallback', () => {
  it('a fallback may follow keep-alives, which are no part of the response', async () => {
    // Longer than a keep-alive, and then no answer.
    pair.first.script({ delay_ms: 10 * KEEP_ALIVE_MS, status: 500 });
    const answer = await chat({ models: ['first/paid', 'second/paid'], stream: true });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatch(/^: keep-alive\n\n/);
    expect(answer.body).toContain('"model":"second/paid"');
    expect(answer.body).toContain('data: [DONE]');
    expect(answer.body).not.toContain('"error"');
  });

  it('a fallback gets all of a large request that was translated for the first model', async () => {
    pair.first.script({ status: 500 });
    const text = 'word '.repeat(300_000);
    const body = { models: ['first/free', 'second/free'], max_tokens: 5 };
    const response = await pair.gateway.ask('messages', {
      ...body,
      messages: [{ role: 'user', content: text }],
    });
    expect(response.status, response.body).toBe(200);
    expect(pair.first.requests).toHaveLength(1);
    expect(JSON.stringify(pair.second.requests[0]?.body).length).toBeGreaterThan(text.length);
  });

  it('a fallback serves each of many requests whose first provider is dead, beyond the retry budget', async () => {
    const REQUESTS = 150;
    const answers = await Promise.all(
      Array.from({ length: REQUESTS }, () => chat({ models: ['dead/paid', 'second/paid'], max_tokens: 2 })),
    );
    for (const { status, headers, body } of answers) {
      expect(status, body).toBe(200);
      expect(headers.get('x-gateway-model')).toBe('second/paid');
    }
    expect(pair.second.requests).toHaveLength(REQUESTS);
    // The breaker of the dead provider is open by now, so nothing is sent to it.
    const answer = await chat({ models: ['dead/paid', 'second/paid'] });
    expect((await pair.gateway.recordOf(answer)).attempts).toHaveLength(1);
    await until(async () => {
      const [stored] = await pair.gateway.books.query(
        `SELECT count(*)::int AS requests FROM usage_records WHERE model_id = 'second/paid' AND charged > 0`,
      );
      return Number(stored?.requests) >= REQUESTS;
    });
    await expectLedgerAgrees(pair.gateway);
  });
});
