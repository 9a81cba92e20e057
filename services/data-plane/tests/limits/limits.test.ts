import { setTimeout as wait } from 'node:timers/promises';
import {
  envelopeOf,
  postJson,
  startGateway,
  startRedisServer,
  type TestGateway,
  until,
} from '@model-gateway/test-kit';
import { describe, expect, inject, it } from 'vitest';
import { burstOn, chat } from './limited-chat.ts';

const redis = inject('redis');

/** More than a key may send; `npm run test:long` sends 1,000. */
const BURST = 150;

describe(`a burst of ${BURST} concurrent requests on one key`, () => {
  it('a burst lets exactly 60 free and 100 paid requests through with one data plane', async () => {
    await using gateway = await startGateway({ defaultLimits: true });
    const { rawKey } = await gateway.createKey();
    expect(await burstOn(gateway, rawKey, 'sim/chat-free', BURST)).toBe(60);
    expect(await burstOn(gateway, rawKey, 'sim/chat-pro', BURST)).toBe(100);
    expect(gateway.provider.requests).toHaveLength(160);
  });

  it.skipIf(redis === undefined)(
    'a burst lets exactly 60 free and 100 paid requests through with 4 data planes and Redis',
    async () => {
      await using gateway = await startGateway({
        defaultLimits: true,
        dataPlanes: 4,
        redisUrl: redis?.url ?? '',
      });
      const { rawKey } = await gateway.createKey();
      expect(await burstOn(gateway, rawKey, 'sim/chat-free', BURST)).toBe(60);
      expect(await burstOn(gateway, rawKey, 'sim/chat-pro', BURST)).toBe(100);
    },
  );
});

describe('the headers of a limited response', () => {
  it('a response says what is left of its limit, with 200 and with 429', async () => {
    await using gateway = await startGateway({ defaultLimits: true });
    const { rawKey } = await gateway.createKey();
    const firstAtMs = performance.now();
    const first = await chat(gateway, rawKey);
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-reset-requests': expect.stringMatching(/^(\d+s|1m0s)$/),
      'ratelimit-policy': '"key";q=60;w=60',
      ratelimit: expect.stringMatching(/^"key";r=59;t=\d+$/),
    });
    while ((await chat(gateway, rawKey)).status === 200);
    const refused = await chat(gateway, rawKey);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThanOrEqual(Math.floor(60 - (performance.now() - firstAtMs) / 1_000));
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(envelopeOf({ body: await refused.text() })).toMatchObject({
      type: 'rate_limit_exceeded',
      code: 'rate_limit_exceeded',
      message: expect.stringContaining('60 requests per minute to free models'),
    });
    // Another key of the same account has its own.
    const other = await gateway.createKey();
    expect((await chat(gateway, other.rawKey)).status).toBe(200);
  });

  it('a key on a team seat also counts against the team', async () => {
    await using gateway = await startGateway({ defaultLimits: true });
    const owner = await gateway.createAccount();
    const team = await gateway.admin.call(5_000, 'teams', 'createTeam', {
      account: owner,
      name: 'team',
      requestsPerMinute: 3,
    });
    const keys = await Promise.all(
      [0, 1].map(async () => {
        const account = await gateway.createAccount();
        const seat = await gateway.admin.call(5_000, 'teams', 'addSeat', { teamId: team.id, account });
        return await gateway.admin.call(5_000, 'accounts', 'createKey', {
          account,
          name: 'on a seat',
          seatId: seat.id,
        });
      }),
    );
    const [first = '', second = ''] = keys.map(({ rawKey }) => rawKey);
    const ok = await chat(gateway, first);
    expect(ok.headers.get('ratelimit-policy')).toBe('"key";q=60;w=60, "team";q=3;w=60');
    expect((await chat(gateway, second)).status).toBe(200);
    expect((await chat(gateway, first)).status).toBe(200);
    const refused = await chat(gateway, second);
    expect(refused.status).toBe(429);
    expect(envelopeOf({ body: await refused.text() }).message).toMatch(
      /team of this API key is 3 requests per minute to models, free and paid together/,
    );
  });
});

describe('requests that are refused before any limit', () => {
  it('requests for unknown models count as reads, and a flood of them gets 429', async () => {
    await using gateway = await startGateway({ defaultLimits: true });
    const { rawKey } = await gateway.createKey();
    const statuses = await Promise.all(
      Array.from({ length: 320 }, async () => (await chat(gateway, rawKey, { model: 'sim/nope' })).status),
    );
    expect(statuses.filter((status) => status === 404)).toHaveLength(300);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    expect((await chat(gateway, rawKey)).headers.get('x-ratelimit-remaining-requests')).toBe('59');
  });
});

describe('concurrent streams', () => {
  const hanging = { body: { stream: true, simulate: { hang: { after_events: 1 } } } };

  it.each([
    ['in memory', undefined],
    ['in Redis', redis?.url],
  ])(
    'a key has at most ten streams, counted %s, and a slot is free again at once',
    async (where, redisUrl) => {
      if (where === 'in Redis' && redisUrl === undefined) return;
      await using gateway = await startGateway({ defaultLimits: true, ...(redisUrl ? { redisUrl } : {}) });
      const { rawKey } = await gateway.createKey();
      const aborts = Array.from({ length: 10 }, () => new AbortController());
      const open = await Promise.all(
        aborts.map(async ({ signal }) => {
          const response = await postJson(
            gateway.baseUrl,
            rawKey,
            'chat/completions',
            {
              model: 'sim/chat-free',
              messages: [{ role: 'user', content: 'hi' }],
              ...hanging.body,
            },
            { signal },
          );
          return response;
        }),
      );
      expect(open.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
      const eleventh = await chat(gateway, rawKey, hanging);
      expect(eleventh.status).toBe(429);
      expect(eleventh.headers.get('retry-after')).toBe('1');
      expect(envelopeOf({ body: await eleventh.text() })).toMatchObject({
        type: 'rate_limit_exceeded',
        code: 'concurrent_streams_exceeded',
        message: expect.stringContaining('at most 10 concurrent streams'),
      });
      // Only streams need a place.
      expect((await chat(gateway, rawKey)).status).toBe(200);
      aborts[0]?.abort();
      await until(async () => {
        const next = await chat(gateway, rawKey, { body: { stream: true, simulate: { status: 500 } } });
        await next.arrayBuffer();
        return next.status === 502;
      });
      // The stream that failed at the provider has freed its place as well.
      expect((await chat(gateway, rawKey, { body: { stream: true } })).status).toBe(200);
      for (const abort of aborts) abort.abort();
    },
  );
});

describe.skipIf(!inject('ownRedis'))('a gateway with Redis', () => {
  it('a request costs one command in Redis and no call to the control plane', async () => {
    await using server = await startRedisServer();
    await using gateway = await startGateway({ redisUrl: server?.url ?? '' });
    const { rawKey } = await gateway.createKey();
    await chat(gateway, rawKey);
    const before = { commands: await commands(gateway), calls: await resolveCalls(gateway) };
    for (let count = 0; count < 50; count++) expect((await chat(gateway, rawKey)).status).toBe(200);
    expect((await commands(gateway)) - before.commands).toBe(50);
    expect((await resolveCalls(gateway)) - before.calls).toBe(0);
  });

  it('a revoked key is refused from Redis while no control plane answers, and known keys are served', async () => {
    await using gateway = await startGateway({ redisUrl: redis?.url ?? '' });
    const [good, revoked] = [await gateway.createKey(), await gateway.createKey()];
    for (const { rawKey } of [good, revoked]) expect((await chat(gateway, rawKey)).status).toBe(200);
    await gateway.revokeKey(revoked.id);
    await gateway.controlPlanes[0]?.close();
    const until6s = performance.now() + 6_000;
    while (performance.now() < until6s) {
      expect((await chat(gateway, good.rawKey)).status).toBe(200);
      expect((await chat(gateway, revoked.rawKey)).status).toBe(401);
      // Not as fast as this process can: other tests need the processor.
      await wait(200);
    }
  });
});

/** Decisions made in Redis, as its data planes count them. */
async function commands(gateway: TestGateway): Promise<number> {
  return metric(gateway.dataPlanes[0]?.internalPort, /^gateway_admissions_total\{.*\} (\d+)$/gm);
}

async function resolveCalls(gateway: TestGateway): Promise<number> {
  return metric(gateway.controlPlanes[0]?.internalPort, /^gateway_control_calls_total\{.*\} (\d+)$/gm);
}

async function metric(port: number | undefined, pattern: RegExp): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return [...text.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
}
