import { setTimeout as wait } from 'node:timers/promises';
import {
  chatBody,
  envelopeOf,
  metricOf,
  postJson,
  startGateway,
  startGatewayWithKey,
  startOwnRedis,
  type TestGateway,
  until,
  withGateway,
} from '@model-gateway/test-kit';
import { describe, expect, inject, it } from 'vitest';
import { addSeat, createTeam } from '../money/money-fixture.ts';
import { burstOn, chat } from './limited-chat.ts';
import { createRuledKey } from './ruled-key.ts';

const redis = inject('redis');

/** More requests than a key may send; `npm run test:long` sends 1,000. */
const BURST = 150;

const gateway = withGateway({ defaultLimits: true });

describe(`a burst of ${BURST} concurrent requests on one key`, () => {
  it.each([
    ['one data plane', {}],
    ['4 data planes and Redis', { dataPlanes: 4, redisUrl: redis?.url ?? '' }],
  ])('a burst lets exactly 60 free and 100 paid requests through with %s', async (name, options) => {
    if (name.includes('Redis') && redis === undefined) return;
    await using gateway = await startGatewayWithKey({ defaultLimits: true, ...options });
    expect(await burstOn(gateway, gateway.rawKey, 'sim/chat-free', BURST)).toBe(60);
    expect(await burstOn(gateway, gateway.rawKey, 'sim/chat-pro', BURST)).toBe(100);
    expect(gateway.provider.requests).toHaveLength(160);
  });

  it('a key on a team seat also counts against the team', async () => {
    const teamId = await createTeam(gateway, { requestsPerMinute: 3 });
    const [{ rawKey: first }, { rawKey: second }] = [
      await addSeat(gateway, teamId),
      await addSeat(gateway, teamId),
    ];
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
        aborts.map(({ signal }) =>
          postJson(gateway.baseUrl, rawKey, 'chat/completions', chatBody(hanging.body), { signal }),
        ),
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
      // Only streams need a slot.
      expect((await chat(gateway, rawKey)).status).toBe(200);
      aborts[0]?.abort();
      await until(async () => {
        const next = await chat(gateway, rawKey, { body: { stream: true, simulate: { status: 500 } } });
        await next.arrayBuffer();
        return next.status === 502;
      });
      // The stream that failed at the provider has freed its slot, too.
      expect((await chat(gateway, rawKey, { body: { stream: true } })).status).toBe(200);
      for (const abort of aborts) abort.abort();
    },
  );
});

it('a rule lowers the streams that a key may have open', async () => {
  const { rawKey } = await createRuledKey(gateway, { streams: 2 });
  const body = { stream: true, simulate: { hang: { after_events: 1 } } };
  const open = await Promise.all([1, 2].map(() => chat(gateway, rawKey, { body })));
  expect(open.map(({ status }) => status)).toEqual([200, 200]);
  const refused = await chat(gateway, rawKey, { body });
  expect(envelopeOf({ body: await refused.text() })).toMatchObject({
    code: 'concurrent_streams_exceeded',
    message: expect.stringContaining('at most 2 concurrent streams'),
  });
  await Promise.all(open.map((stream) => stream.body?.cancel()));
});

describe.skipIf(!inject('ownRedis'))('a gateway with Redis', () => {
  it('a request costs one command in Redis and no call to the control plane', async () => {
    await using server = await startOwnRedis();
    await using gateway = await startGateway({ redisUrl: server.url });
    const { rawKey } = await gateway.createKey();
    await chat(gateway, rawKey);
    // Repeated if the control plane is late: its last confirmation of the key is then too old, and is asked
    // for again.
    await until(async () => {
      const before = { commands: await commands(gateway), calls: await resolveCalls(gateway) };
      for (let count = 0; count < 50; count++) expect((await chat(gateway, rawKey)).status).toBe(200);
      expect((await commands(gateway)) - before.commands).toBe(50);
      return (await resolveCalls(gateway)) === before.calls;
    });
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

/** Returns how many decisions were made in Redis, as the data plane counts them. */
function commands(gateway: TestGateway): Promise<number> {
  return metricOf(gateway.dataPlanes[0], 'gateway_admissions_total');
}

function resolveCalls(gateway: TestGateway): Promise<number> {
  return metricOf(gateway.controlPlanes[0], 'gateway_control_calls_total');
}
