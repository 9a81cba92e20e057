import { addPool, chatBody, postJson, readAll, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { spawnDataPlane } from '../process/data-plane-process.ts';
import { MESSAGES_API, RESPONSES_API } from './apis.ts';

const FREE_PER_MINUTE = 60;
const STREAMS = 10;
const gateway = withGateway({ defaultLimits: true, ownPools: true });

/** The error types of each API for a rate limit and for missing money. */
const ERRORS = {
  [MESSAGES_API.name]: { limit: 'rate_limit_error', balance: 'billing_error' },
  [RESPONSES_API.name]: { limit: 'rate_limit_exceeded', balance: 'insufficient_balance' },
};

describe.each([MESSAGES_API, RESPONSES_API])('the limits of chats for a caller of $name', (api) => {
  const errors = ERRORS[api.name];

  it('requests per minute are limited together with Chat Completions', async () => {
    const { rawKey } = await gateway.createKey();
    const chat = await gateway.post('chat/completions', chatBody(), { key: rawKey });
    await chat.text();
    const answers = await Promise.all(
      Array.from({ length: FREE_PER_MINUTE }, () => api.send(gateway, rawKey, api.length(1))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(FREE_PER_MINUTE - 1);
    const refused = answers.find(({ status }) => status !== 200);
    expect(refused?.status).toBe(429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused?.headers.get('ratelimit')).toBeTruthy();
    expect(JSON.parse(refused?.text ?? '')).toMatchObject({
      error: { type: errors?.limit, code: 'rate_limit_exceeded' },
    });
  });

  it('a paid request without money is refused', async () => {
    const { rawKey, accountId } = await gateway.createKey();
    const refused = await api.send(gateway, rawKey, { model: 'sim/chat-pro' });
    expect(refused.status, refused.text).toBe(402);
    expect(JSON.parse(refused.text)).toMatchObject({
      error: { type: errors?.balance, code: 'insufficient_balance', needed_usd: expect.any(String) },
    });
    await addPool(gateway.admin, { kind: 'account', id: accountId }, '1');
    await expect
      .poll(async () => (await api.send(gateway, rawKey, { model: 'sim/chat-pro' })).status)
      .toBe(200);
  });

  it('open streams are limited', async () => {
    const { rawKey } = await gateway.createKey();
    const open = () => {
      gateway.provider.script({ hang: { after_events: 2 } });
      return gateway.post(api.path, api.body({ stream: true }), { key: rawKey });
    };
    const streams = [];
    for (let stream = 0; stream < STREAMS; stream++) streams.push(await open());
    expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: STREAMS }, () => 200));
    const refused = await api.send(gateway, rawKey, { stream: true });
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.text)).toMatchObject({
      error: { type: errors?.limit, code: 'concurrent_streams_exceeded' },
    });
    for (const { body } of streams) await body?.cancel();
  });
});

describe.each([MESSAGES_API, RESPONSES_API])('a stopping data plane', (api) => {
  it.each<[string, number, boolean]>([
    ['lets an answer end', 10_000, true],
    ['ends an answer that takes too long with an error', 200, false],
  ])(`a stopping data plane %s, in ${api.name}`, async (_what, drainMs, ends) => {
    const { rawKey } = await gateway.createKey();
    const plane = await spawnDataPlane(gateway, drainMs);
    gateway.provider.clear();
    let response: Response;
    do {
      gateway.provider.script(
        ends ? { content: 'word '.repeat(30), token_delay_ms: 20 } : { hang: { after_events: 3 } },
      );
      response = await postJson(plane.baseUrl, rawKey, api.path, api.body({ stream: true }));
      // The process has no catalog yet.
    } while (response.status === 503);
    expect(response.status).toBe(200);
    plane.child.kill('SIGTERM');
    const { text, isBroken } = await readAll(response);
    expect(api.read(text)).toMatchObject({ isComplete: ends, hasFailed: !ends });
    expect(isBroken).toBe(!ends);
    expect(await plane.exit).toEqual([0, null]);
  });
});
