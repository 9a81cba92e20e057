import { usageSummary } from '@model-gateway/shared';
import {
  addPool,
  chatBody,
  envelopeOf,
  postJson,
  startGateway,
  until,
  withGateway,
} from '@model-gateway/test-kit';
import { runSql } from '@model-gateway/test-kit/run-sql';
import { describe, expect, inject, it } from 'vitest';
import { createRuledKey, setRules } from './ruled-key.ts';

const LIMIT = 8_000;

describe('a limit of tokens per minute', () => {
  const gateway = withGateway();

  async function limitedKey(tokens_per_minute = LIMIT) {
    const { rawKey: key } = await createRuledKey(gateway, { tokens_per_minute });
    const left = async () => {
      const response = await fetch(`${gateway.baseUrl}/v1/usage`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const { limits } = usageSummary.parse(await response.json());
      return limits.find(({ name }) => name === 'key-tokens')?.remaining ?? Number.NaN;
    };
    return {
      key,
      left,
      chat: (members?: object) => gateway.chat(members, { key }),
      /** Waits until all requests are settled. */
      settlesAt: (expected: number) => until(async () => (await left()) === expected),
    };
  }

  const leftIn = ({ headers }: { headers: Headers }) => Number(headers.get('x-ratelimit-remaining-tokens'));
  const totalOf = ({ body }: { body: string }): number => JSON.parse(body).usage.total_tokens;

  it('takes an estimate of input and output, and is corrected by what was used', async () => {
    const { chat, settlesAt } = await limitedKey();
    const answer = await chat({ max_tokens: 500 });
    expect(answer.headers.get('x-ratelimit-limit-tokens')).toBe(`${LIMIT}`);
    expect(answer.headers.get('ratelimit-policy')).toContain(`"key-tokens";q=${LIMIT};w=60;qu="tokens"`);
    expect(answer.headers.get('ratelimit')).toContain(`"key-tokens";r=${leftIn(answer)};t=`);
    const taken = LIMIT - leftIn(answer);
    expect(taken).toBeGreaterThan(500);
    expect(taken).toBeLessThan(600);
    expect(totalOf(answer)).toBeLessThan(taken);
    await settlesAt(LIMIT - totalOf(answer));
  });

  it('takes at most a quarter of what is left for output that only the model limits', async () => {
    const { chat } = await limitedKey();
    const [first, second] = [await chat(), await chat({ model: 'sim/chat-pro' })];
    for (const answer of [first, second]) expect(answer.status).toBe(200);
    expect(LIMIT - leftIn(first)).toBeLessThan(LIMIT / 4 + 100);
    expect(LIMIT - leftIn(first)).toBeGreaterThan(LIMIT / 4);
    expect(leftIn(second)).toBeGreaterThan((leftIn(first) * 3) / 4 - 100);
  });

  it('takes a prediction whole, but the output beside it as without one', async () => {
    const { chat } = await limitedKey();
    const content = 'x'.repeat(1_000);
    const answer = await chat({ prediction: { type: 'content', content } });
    expect(answer.status).toBe(200);
    expect(LIMIT - leftIn(answer)).toBeGreaterThan(1_000);
    expect(LIMIT - leftIn(answer)).toBeLessThan(1_500 + LIMIT / 4);
  });

  it('refuses what does not fit, and says when it does', async () => {
    const { chat } = await limitedKey(2_000);
    const running = chat({ stream: true, max_tokens: 1_500, simulate: { delay_ms: 4_000 } });
    await until(async () => (await chat({ max_tokens: 1_000 })).status === 429);
    const refused = await chat({ max_tokens: 1_000 });
    expect(refused.status).toBe(429);
    expect(envelopeOf(refused)).toMatchObject({
      type: 'rate_limit_exceeded',
      code: 'rate_limit_exceeded',
      message: expect.stringMatching(
        /^The limit of this API key is 2000 tokens per minute, input and output together: \d+ are left, and this request may need 10\d\d\. Retry in \d+ s\.$/,
      ),
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    expect(refused.headers.get('x-ratelimit-reset-tokens')).toMatch(/^(5\d|60)s$|^1m\ds$/);
    // A smaller one fits beside it.
    expect((await chat({ max_tokens: 50 })).status).toBe(200);
    expect((await running).status).toBe(200);
    await until(async () => (await chat({ max_tokens: 1_000 })).status === 200);
  });

  it('tells a request that can never fit not to retry', async () => {
    const { chat, left } = await limitedKey(2_000);
    const refused = await chat({ max_tokens: 3_000 });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(refused.headers.get('retry-after')).toBeNull();
    expect(envelopeOf(refused).message).toContain('this request may need 30');
    expect(await left()).toBe(2_000);
  });

  it('gets its tokens back from a request that failed', async () => {
    const { chat, settlesAt } = await limitedKey();
    const failed = await chat({ max_tokens: 500, simulate: { status: 500 } });
    expect(failed.status).toBe(502);
    expect(leftIn(failed)).toBeLessThan(LIMIT - 500);
    await settlesAt(LIMIT);
  });

  it('is corrected by an estimate where the provider reports nothing', async () => {
    const { chat, settlesAt } = await limitedKey();
    const answer = await chat({ max_tokens: 700, stream: true, simulate: { usage: 'missing' } });
    expect(answer.status).toBe(200);
    const record = await gateway.recordOf(answer);
    expect(record).toMatchObject({ usage_source: 'estimated' });
    const used = Number(record.input_tokens) + Number(record.output_tokens);
    expect(used).toBeGreaterThan(5);
    expect(used).toBeLessThan(700);
    await settlesAt(LIMIT - used);
  });

  it('counts the input of embeddings', async () => {
    const { key, settlesAt } = await limitedKey();
    const input = 'a text about nothing in particular '.repeat(100);
    const answer = await gateway.ask('embeddings', { model: 'sim/embed-free', input }, { key });
    expect(answer.status).toBe(200);
    expect(LIMIT - leftIn(answer)).toBeGreaterThan(totalOf(answer) / 2);
    expect(LIMIT - leftIn(answer)).toBeLessThan(totalOf(answer) * 2);
    await settlesAt(LIMIT - totalOf(answer));
  });

  it('counts the images of a moderation before it is sent', async () => {
    const { key } = await limitedKey();
    const part = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const ask = (images: number) =>
      gateway.ask('moderations', { model: 'sim/moderate-free', input: Array(images).fill(part) }, { key });
    expect((await ask(20)).status).toBe(429);
    expect((await ask(1)).status).toBe(200);
    expect(gateway.provider.requests).toHaveLength(1);
  });

  it('is shown by GET /v1/key', async () => {
    const { key, chat, settlesAt } = await limitedKey();
    const answer = await chat({ max_tokens: 10 });
    await settlesAt(LIMIT - totalOf(answer));
    const response = await fetch(`${gateway.baseUrl}/v1/key`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const remaining = LIMIT - totalOf(answer);
    expect(await response.json()).toMatchObject({
      limits: expect.arrayContaining([{ name: 'key-tokens', limit: LIMIT, window_seconds: 60, remaining }]),
    });
  });

  it('takes nothing for reads', async () => {
    const { key, settlesAt } = await limitedKey(50);
    const response = await fetch(`${gateway.baseUrl}/v1/usage`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-ratelimit-limit-tokens')).toBeNull();
    await settlesAt(50);
  });
});

it('a request that the balance refuses gives its tokens back', async () => {
  await using gateway = await startGateway({ ownPools: true });
  const { rawKey, accountId } = await createRuledKey(gateway, { tokens_per_minute: LIMIT });
  const post = (path: string, body?: object) =>
    fetch(`${gateway.baseUrl}/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
  await addPool(gateway.admin, { kind: 'account', id: accountId }, '0.000001');
  const refused = await post('chat/completions', chatBody({ model: 'sim/chat-pro', max_tokens: 500 }));
  expect(refused.status).toBe(402);
  expect(Number(refused.headers.get('x-ratelimit-remaining-tokens'))).toBeLessThan(LIMIT - 500);
  const { limits } = usageSummary.parse(await (await post('usage')).json());
  expect(limits).toContainEqual({ name: 'key-tokens', limit: LIMIT, window_seconds: 60, remaining: LIMIT });
});

it("a rule's requests per minute count free and paid models together, and no reads", async () => {
  await using gateway = await startGateway();
  const { rawKey } = await createRuledKey(gateway, { requests_per_minute: 3 });
  const send = async (model: string) => {
    const response = await fetch(`${gateway.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(chatBody({ model, max_tokens: 1 })),
    });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  expect((await send('sim/chat-free')).headers.get('ratelimit-policy')).toContain('"key-requests";q=3;w=60');
  expect((await send('sim/chat-pro')).status).toBe(200);
  expect((await send('sim/nope')).status).toBe(404);
  expect((await send('sim/chat-free')).headers.get('x-ratelimit-remaining-requests')).toBe('0');
  const refused = await send('sim/chat-pro');
  expect(refused.status).toBe(429);
  expect(envelopeOf(refused).message).toMatch(
    /^The limit of this API key is 3 requests per minute to models, free and paid together\. Retry in/,
  );
});

describe('limits of end users', () => {
  const redis = inject('redis');

  it.each([
    ['in memory', undefined],
    ['in Redis', redis?.url],
  ])('count each end user with all keys of its account, %s', async (where, redisUrl) => {
    if (where === 'in Redis' && redisUrl === undefined) return;
    await using gateway = await startGateway(redisUrl === undefined ? {} : { redisUrl });
    const { rawKey: first, accountId } = await gateway.createKey();
    const { rawKey: second } = await gateway.createKey(accountId);
    const rules = { requests_per_minute: 3, tokens_per_minute: 2_000 };
    await setRules(gateway, `end_users:${accountId}`, rules);
    const send = async (key: string, user: string | undefined, max_tokens = 1) => {
      const headers = user === undefined ? {} : { 'x-gateway-end-user': user };
      const body = chatBody({ max_tokens });
      const response = await postJson(gateway.baseUrl, key, 'chat/completions', body, { headers });
      return { status: response.status, headers: response.headers, body: await response.text() };
    };
    const anna = await send(first, 'anna');
    expect(anna.headers.get('ratelimit-policy')).toContain('"end-user-requests";q=3;w=60');
    expect(anna.headers.get('ratelimit-policy')).toContain('"end-user-tokens";q=2000;w=60;qu="tokens"');
    const tooLarge = await send(second, 'anna', 1_990);
    expect(tooLarge.status).toBe(429);
    expect(envelopeOf(tooLarge).message).toMatch(
      /^The limit of this end user is 2000 tokens per minute, input and output together/,
    );
    expect((await send(second, 'anna')).headers.get('x-ratelimit-remaining-requests')).toBe('1');
    expect((await send(first, 'anna')).status).toBe(200);
    const refused = await send(second, 'anna');
    expect(refused.status).toBe(429);
    expect(envelopeOf(refused).message).toMatch(
      /^The limit of this end user is 3 requests per minute to models, free and paid together\. Retry in/,
    );
    expect((await send(second, 'berta')).headers.get('x-ratelimit-remaining-requests')).toBe('2');
    expect((await send(second, undefined)).headers.get('x-ratelimit-limit-tokens')).toBeNull();
    await setRules(gateway, `end_user:${accountId}/carla`, { tokens_per_minute: 700 });
    await runSql(gateway.databaseUrl, 'UPDATE accounts SET end_users_version = end_users_version + 1');
    const { rawKey: third } = await gateway.createKey(accountId);
    expect((await send(third, 'carla')).headers.get('x-ratelimit-limit-tokens')).toBe('700');
    expect((await send(third, 'carla')).headers.get('x-ratelimit-limit-requests')).not.toBe('3');
    expect((await send(third, 'anna')).status).toBe(429);
  });
});
