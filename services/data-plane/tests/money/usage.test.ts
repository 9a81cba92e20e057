import { usageReceipt, usageSummary } from '@model-gateway/shared';
import { addPool, chatBody, envelopeOf, postJson, startGateway, withGateway } from '@model-gateway/test-kit';
import { describe, expect, inject, it } from 'vitest';
import { addSeat, createTeam, nano } from './money-fixture.ts';

const redis = inject('redis');
const gateway = withGateway({ defaultLimits: true, ownPools: true });

function get(rawKey: string, path: string, { method = 'GET', of = { baseUrl: gateway.baseUrl } } = {}) {
  return fetch(of.baseUrl + path, { method, headers: { authorization: `Bearer ${rawKey}` } });
}

async function summary(rawKey: string, query = '', of = { baseUrl: gateway.baseUrl }) {
  const response = await get(rawKey, `/v1/usage${query}`, { of });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return usageSummary.parse(JSON.parse(text));
}

/** @returns the id of the request */
async function complete(rawKey: string, model: string, of = { baseUrl: gateway.baseUrl }): Promise<string> {
  const response = await postJson(of.baseUrl, rawKey, 'chat/completions', chatBody({ model, max_tokens: 5 }));
  await response.text();
  if (response.status !== 200) throw new Error(`the model answered ${response.status}`);
  return response.headers.get('x-request-id') ?? '';
}

async function receipt(rawKey: string, requestId: string) {
  const response = await get(rawKey, `/v1/usage/requests/${requestId}`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return usageReceipt.parse(JSON.parse(text));
}

async function refusal(rawKey: string, path: string) {
  const response = await get(rawKey, path);
  return { status: response.status, error: envelopeOf({ body: await response.text() }) };
}

async function seatKey() {
  const teamId = await createTeam(gateway, {});
  return { ...(await addSeat(gateway, teamId)), teamId };
}

describe('usage', () => {
  it('the usage of a new account is an empty month with every limit', async () => {
    const { rawKey } = await gateway.createKey();
    const response = await get(rawKey, '/v1/usage');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-ratelimit-limit-requests')).toBe('300');
    const usage = usageSummary.parse(await response.json());
    const now = new Date();
    expect(usage.period.start_time).toBe(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()) / 1_000);
    expect(usage.totals).toMatchObject({ requests: 0, cost_usd: '0.000000000' });
    expect(usage.data.every(({ results }) => results.length === 0)).toBe(true);
    expect(usage.pools).toEqual([]);
    expect(usage.limits).toEqual([
      { name: 'key.free', limit: 60, window_seconds: 60, remaining: 60 },
      { name: 'key.paid', limit: 100, window_seconds: 60, remaining: 100 },
      { name: 'key.reads', limit: 300, window_seconds: 60, remaining: 299 },
    ]);
  });

  it('usage is the sum of its receipts, and equals the charge of the pool', async () => {
    const { rawKey, accountId, id } = await gateway.createKey();
    await addPool(gateway.admin, { kind: 'account', id: accountId }, '5');
    const paid = await receipt(rawKey, await complete(rawKey, 'sim/chat-pro'));
    const free = await receipt(rawKey, await complete(rawKey, 'sim/chat-free'));
    expect(paid).toMatchObject({
      model: 'sim/chat-pro',
      capability: 'chat',
      tier: 'paid',
      price_version: 1,
      pricing: { input_per_million_usd: '1.00' },
      uncollected_usd: '0.000000000',
      pools: [{ scope: 'account', debited_usd: paid.settled_usd }],
      attempts: [{ provider: 'sim', status: 200, code: null }],
      billing_reason: 'completed',
    });
    expect(Number(paid.settled_usd)).toBeGreaterThan(0);
    expect(Number(paid.held_usd)).toBeGreaterThanOrEqual(Number(paid.settled_usd));
    expect(free).toMatchObject({ tier: 'free', price_version: null, pricing: null, pools: [] });

    const usage = await summary(rawKey, '?group_by=model,key');
    expect(usage.totals).toMatchObject({
      requests: 2,
      input_tokens: paid.units.input_tokens + free.units.input_tokens,
      output_tokens: paid.units.output_tokens + free.units.output_tokens,
      cost_usd: paid.settled_usd,
    });
    expect(usage.data.flatMap(({ results }) => results)).toMatchObject([
      { model: 'sim/chat-free', key: id, requests: 1, cost_usd: '0.000000000' },
      { model: 'sim/chat-pro', key: id, requests: 1, cost_usd: paid.settled_usd },
    ]);
    const [pool] = usage.pools;
    expect(pool).toMatchObject({
      scope: 'account',
      unlimited: false,
      included_usd: '5.000000000',
      used_usd: paid.settled_usd,
      expires_at: null,
    });
    // Reserved money is not spent: it is a part of the balance.
    const { left_usd: left, remaining_usd: remaining, held_usd: held = '' } = pool ?? {};
    expect(nano(left ?? '')).toBe(nano('5') - nano(paid.settled_usd));
    expect(nano(remaining ?? '') + nano(held)).toBe(nano(left ?? ''));
    expect(usage.limits).toMatchObject([
      { name: 'key.free', remaining: 59 },
      { name: 'key.paid', remaining: 99 },
      { name: 'key.reads', remaining: 297 },
    ]);
    const filtered = await summary(rawKey, '?models[]=sim/chat-free&bucket_width=1m&limit=1');
    expect(filtered).toMatchObject({ totals: { requests: 1 }, has_more: true });
    expect(filtered.data).toHaveLength(1);
  });

  it('an unlimited pool has no amount that is left, and covers whatever a request may cost', async () => {
    const { rawKey, accountId } = await gateway.createKey();
    const owner = { kind: 'account', id: accountId };
    const expiresAt = Math.floor(Date.now() / 1_000) + 3_600;
    await gateway.admin.call(30_000, 'pools', 'addPool', {
      ...{ owner, unlimited: true, resets: 'never', expiresAtMs: expiresAt * 1_000 },
    });
    const paid = await receipt(rawKey, await complete(rawKey, 'sim/chat-pro'));
    const { pools } = await summary(rawKey);
    expect(pools).toMatchObject([
      {
        unlimited: true,
        included_usd: null,
        used_usd: paid.settled_usd,
        left_usd: null,
        remaining_usd: null,
        resets_at: null,
        expires_at: expiresAt,
      },
    ]);
    expect(paid.uncollected_usd).toBe('0.000000000');
  });

  it('usage is the same on all its pages together', async () => {
    const { rawKey } = await gateway.createKey();
    await receipt(rawKey, await complete(rawKey, 'sim/chat-free'));
    const end = Math.floor(Date.now() / 1_000);
    const query = `?bucket_width=1h&limit=7&start_time=${end - 100_000}&end_time=${end + 1}`;
    let page = await summary(rawKey, query);
    const buckets = [...page.data];
    while (page.next_page !== null) {
      page = await summary(rawKey, `?bucket_width=1h&limit=7&page=${page.next_page}`);
      buckets.push(...page.data);
      expect(page.totals.requests).toBe(1);
    }
    expect(buckets[0]?.start_time).toBe(page.period.start_time);
    expect(buckets.at(-1)?.end_time).toBe(page.period.end_time);
    for (const [index, bucket] of buckets.entries()) {
      expect(bucket.start_time).toBe(buckets[index - 1]?.end_time ?? page.period.start_time);
    }
    expect(buckets.flatMap(({ results }) => results)).toMatchObject([{ requests: 1 }]);
  });

  it("the usage of a seat has the seat alone, its pools and its team's", async () => {
    const { rawKey, account, seatId, teamId } = await seatKey();
    await addPool(gateway.admin, { kind: 'account', id: account }, '1');
    await addPool(gateway.admin, { kind: 'team', id: teamId }, '2');
    await addPool(gateway.admin, { kind: 'seat', id: seatId }, '3');
    const requestId = await complete(rawKey, 'sim/chat-pro');
    expect(await receipt(rawKey, requestId)).toMatchObject({ pools: [{ scope: 'seat' }] });
    const usage = await summary(rawKey);
    expect(usage.totals.requests).toBe(1);
    expect(usage.pools.map(({ scope, included_usd }) => [scope, included_usd])).toEqual([
      ['seat', '3.000000000'],
      ['team', '2.000000000'],
    ]);
    expect(usage.limits.map(({ name }) => name)).toEqual(['key.free', 'key.paid', 'team', 'key.reads']);
    expect(usage.limits).toContainEqual({ name: 'team', limit: 600, window_seconds: 60, remaining: 599 });
    const own = await gateway.createKey(account);
    expect((await summary(own.rawKey)).totals.requests).toBe(0);
    expect((await refusal(own.rawKey, `/v1/usage/requests/${requestId}`)).status).toBe(404);
  });

  it.skipIf(redis === undefined)('usage has what Redis counts of the limits', async () => {
    await using shared = await startGateway({
      defaultLimits: true,
      dataPlanes: 2,
      redisUrl: redis?.url ?? '',
    });
    const { rawKey } = await shared.createKey();
    await complete(rawKey, 'sim/chat-free', shared);
    const other = { ...shared, baseUrl: shared.urlOf(1) };
    expect((await summary(rawKey, '', other)).limits).toMatchObject([
      { name: 'key.free', remaining: 59 },
      { name: 'key.paid', remaining: 100 },
      { name: 'key.reads', remaining: 299 },
    ]);
  });
});

describe('a receipt', () => {
  it.each(['nonsense', 'req_short', `req_${'0'.repeat(25)}`, `req_${'0'.repeat(24)}`, '%2e%2e'])(
    'a receipt that does not exist (%s) is 404',
    async (requestId) => {
      const { rawKey } = await gateway.createKey();
      expect(await refusal(rawKey, `/v1/usage/requests/${requestId}`)).toMatchObject({
        status: 404,
        error: { code: 'not_found', type: 'invalid_request_error' },
      });
    },
  );

  it('a receipt exists as soon as the response arrived', async () => {
    const { rawKey } = await gateway.createKey();
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const requestId = await complete(rawKey, 'sim/chat-free');
        return (await get(rawKey, `/v1/usage/requests/${requestId}`)).status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

describe('a request for usage', () => {
  it('usage checks method, key, query and limit in this order', async () => {
    const { rawKey } = await gateway.createKey();
    expect((await get('', '/v1/usage', { method: 'POST' })).status).toBe(405);
    expect((await get('', '/v1/usage/requests/x', { method: 'DELETE' })).status).toBe(405);
    expect((await get('', '/v1/usage?limit=no')).status).toBe(401);
    expect(await refusal(rawKey, '/v1/usage?limit=no')).toMatchObject({
      status: 400,
      error: { code: 'invalid_request', param: 'limit' },
    });
    for (let asked = 0; asked < 299; asked += 1)
      await (await get(rawKey, '/v1/usage?limit=no')).arrayBuffer();
    const refused = await get(rawKey, '/v1/usage?limit=no');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await get(rawKey, '/v1/usage')).status).toBe(429);
  });

  it('usage answers HEAD', async () => {
    const { rawKey } = await gateway.createKey();
    const requestId = await complete(rawKey, 'sim/chat-free');
    for (const path of ['/v1/usage', `/v1/usage/requests/${requestId}`]) {
      const response = await get(rawKey, path, { method: 'HEAD' });
      expect(response.status).toBe(200);
      expect(await response.text()).toBe('');
    }
  });

  it('usage refuses minutes that are no longer stored', async () => {
    const { rawKey } = await gateway.createKey();
    const { status, error } = await refusal(rawKey, '/v1/usage?bucket_width=1m&start_time=1500000000');
    expect(status).toBe(400);
    expect(error.message).toMatch(/by the minute goes back to \d{4}-\d\d-\d\d/);
  });

  it('usage gets 503 with Retry-After while no control plane answers', async () => {
    await using lonely = await startGateway();
    const { rawKey } = await lonely.createKey();
    await summary(rawKey, '', lonely);
    await lonely.controlPlanes[0]?.close();
    for (const path of ['/v1/usage', `/v1/usage/requests/req_${'0'.repeat(24)}`]) {
      const response = await get(rawKey, path, { of: lonely });
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(envelopeOf({ body: await response.text() }).code).toBe('control_plane_unavailable');
    }
  });
});
