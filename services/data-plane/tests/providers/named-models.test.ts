import {
  addPool,
  envelopeOf,
  openBooks,
  postJson,
  until,
  usageOf,
  withStarted,
} from '@model-gateway/test-kit';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectCleanBooks, payingKey } from '../money/money-fixture.ts';
import { startFallbackGateway } from './fallback-gateway.ts';

const KEEP_ALIVE_MS = 20;
const messages = [{ role: 'user', content: 'hi' }];
let rawKey: string;

const road = withStarted(() =>
  startFallbackGateway({
    ownPools: true,
    overrides: { streamTimings: { keepAliveMs: KEEP_ALIVE_MS } },
  }),
);
beforeAll(async () => {
  const account = await road.gateway.createAccount();
  await addPool(road.gateway.admin, { kind: 'account', id: account }, '1000');
  ({ rawKey } = await road.gateway.createKey(account));
});
beforeEach(() => {
  road.first.clear();
  road.second.clear();
});

async function _chat(body: object, key = rawKey) {
  const asked = { messages, max_tokens: 20, ...body };
  const response = await postJson(road.gateway.baseUrl, key, 'chat/completions', asked);
  return { status: response.status, headers: response.headers, body: await response.text() };
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
    const answer = await _chat(body);
    expect(answer.status, answer.body).toBe(status);
    expect(envelopeOf(answer)).toMatchObject({ code, param });
    expect(answer.body).toContain(words);
    expect(road.first.requests).toHaveLength(0);
  });

  it('a model that is named twice is asked once', async () => {
    road.first.script({ status: 500 });
    road.second.script({ status: 529, message: 'overloaded' });
    const answer = await _chat({ model: 'first/free', models: ['first/free', 'second/free', 'second/free'] });
    expect(answer.status).toBe(502);
    expect([road.first.requests.length, road.second.requests.length]).toEqual([1, 1]);
  });

  it('a single named model is asked like `model`', async () => {
    const answer = await _chat({ models: ['first/free'] });
    expect(JSON.parse(answer.body)).toMatchObject({ model: 'first/free' });
  });
});

describe('the limits and the money of a fallback', () => {
  it('a request that names models of both tiers counts against the limits of both', async () => {
    const account = await road.gateway.createAccount();
    await road.gateway.admin.call(10_000, 'accounts', 'setLimits', {
      account,
      freePerMinute: { value: 2 },
      paidPerMinute: { value: 5 },
    });
    await addPool(road.gateway.admin, { kind: 'account', id: account }, '10');
    const { rawKey: limited } = await road.gateway.createKey(account);
    const both = { model: 'first/paid', models: ['second/free'] };
    const first = await _chat(both, limited);
    expect(first.status, first.body).toBe(200);
    expect(first.headers.get('ratelimit-policy')).toContain('"key.free";q=2');
    expect(first.headers.get('ratelimit-policy')).toContain('"key.paid";q=5');
    expect((await _chat(both, limited)).status).toBe(200);
    const refused = await _chat(both, limited);
    expect(refused.status).toBe(429);
    expect(refused.body).toContain('2 requests per minute to free models');
    expect((await _chat({ model: 'first/paid' }, limited)).status).toBe(200);
    expect((await _chat({ model: 'first/free' }, limited)).status).toBe(429);
  });

  it('a request reserves the price of its dearest model, and is refused when the balance lacks it', async () => {
    await using books = openBooks(road.gateway.databaseUrl);
    // Enough for the first alone.
    const poor = await payingKey(road.gateway, '0.001');
    const alone = await _chat({ model: 'first/paid' }, poor.rawKey);
    expect(alone.status, alone.body).toBe(200);
    const free = await _chat({ model: 'first/free', models: ['dead/paid'] }, poor.rawKey);
    expect(free.status).toBe(402);
    const dear = await _chat({ model: 'first/paid', models: ['dead/paid'] }, poor.rawKey);
    const asIfAlone = await _chat({ model: 'dead/paid' }, poor.rawKey);
    expect(dear.status).toBe(402);
    expect(Number(JSON.parse(dear.body).error.needed_usd)).toBeGreaterThanOrEqual(
      Number(JSON.parse(asIfAlone.body).error.needed_usd),
    );
    const rich = await _chat({ model: 'first/paid', models: ['dead/paid'] });
    const row = await usageOf(books, rich.headers.get('x-request-id') ?? '');
    expect(row.held).toBeGreaterThan(4_000_000n);
    expect(row).toMatchObject({ model_id: 'first/paid' });
    expect(row.charged).toBeLessThan(100_000n);
  });

  it('a free model answers at once when a paid one failed, and costs nothing', async () => {
    await using books = openBooks(road.gateway.databaseUrl);
    road.first.script({ status: 500 });
    const answer = await _chat({ model: 'first/paid', models: ['second/free'] });
    expect(JSON.parse(answer.body)).toMatchObject({ model: 'second/free' });
    const row = await usageOf(books, answer.headers.get('x-request-id') ?? '');
    expect(row).toMatchObject({ model_id: 'second/free', price_version: null, cost: 0n, charged: 0n });
  });

  it('a request for provider-stored state never falls back', async () => {
    const before = {
      model: 'first/free',
      models: ['second/free'],
      input: 'hi',
      previous_response_id: 'resp_none',
    };
    const response = await postJson(road.gateway.baseUrl, rawKey, 'responses', before);
    await response.text();
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect([road.first.requests.length, road.second.requests.length]).toEqual([0, 0]);
  });
});

describe('a fallback', () => {
  it('a fallback may follow keep-alives, which are no part of the response', async () => {
    // Longer than a keep-alive, and then no answer.
    road.first.script({ delay_ms: 10 * KEEP_ALIVE_MS, status: 500 });
    const answer = await _chat({ models: ['first/paid', 'second/paid'], stream: true });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatch(/^: keep-alive\n\n/);
    expect(answer.body).toContain('"model":"second/paid"');
    expect(answer.body).toContain('data: [DONE]');
    expect(answer.body).not.toContain('"error"');
  });

  it('a fallback gets all of a large request that was translated for the first model', async () => {
    road.first.script({ status: 500 });
    const text = 'word '.repeat(300_000);
    const response = await postJson(road.gateway.baseUrl, rawKey, 'messages', {
      models: ['first/free', 'second/free'],
      max_tokens: 5,
      messages: [{ role: 'user', content: text }],
    });
    expect(response.status, await response.text()).toBe(200);
    expect(road.first.requests).toHaveLength(1);
    expect(JSON.stringify(road.second.requests[0]?.body).length).toBeGreaterThan(text.length);
  });

  it('a fallback serves each of many requests whose first provider is dead, beyond the retry budget', async () => {
    const REQUESTS = 150;
    const answers = await Promise.all(
      Array.from({ length: REQUESTS }, () => _chat({ models: ['dead/paid', 'second/paid'], max_tokens: 2 })),
    );
    for (const { status, headers, body } of answers) {
      expect(status, body).toBe(200);
      expect(headers.get('x-gateway-model')).toBe('second/paid');
    }
    expect(road.second.requests).toHaveLength(REQUESTS);
    // The breaker of the dead one is open by now: it is not even asked.
    const answer = await _chat({ models: ['dead/paid', 'second/paid'] });
    await using books = openBooks(road.gateway.databaseUrl);
    const row = await usageOf(books, answer.headers.get('x-request-id') ?? '');
    expect(row.attempts).toHaveLength(1);
    await until(async () => {
      const [stored] = await books.query(
        `SELECT count(*)::int AS requests FROM usage_records WHERE model_id = 'second/paid' AND charged > 0`,
      );
      return Number(stored?.requests) >= REQUESTS;
    });
    await expectCleanBooks(road.gateway);
  });
});
