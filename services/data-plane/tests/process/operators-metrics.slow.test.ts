import {
  chatBody,
  modelEntry,
  providerEntry,
  readMetrics,
  startGateway,
  startOwnRedis,
  sumOf,
  until,
  withGateway,
  withoutCredential,
} from '@model-gateway/test-kit';
import { describe, expect, inject, it } from 'vitest';
import { ProviderBreakers } from '../../src/upstream/provider-breakers.ts';

/** Enough for the breaker of these tests. */
const FAILURES_TO_OPEN = 4;
const PROVIDER_MS = 300;
const PRICING = { input_per_million_usd: '1', output_per_million_usd: '2' };

const gateway = withGateway({
  catalog: true,
  environment: { REFUSED_KEY: 'nobody-knows-this-credential' },
  overrides: { breakers: new ProviderBreakers(FAILURES_TO_OPEN) },
  document: (baseUrl) => {
    const credentials = {
      well: 'SIMULATED_API_KEY',
      failing: 'SIMULATED_API_KEY',
      several: ['SIMULATED_API_KEY', 'REFUSED_KEY', 'UNSET_KEY'],
      open: undefined,
    };
    return {
      providers: Object.entries(credentials).map(([id, credential_env]) => {
        const entry = withoutCredential(providerEntry(id, baseUrl));
        return credential_env === undefined ? entry : { ...entry, credential_env };
      }),
      models: Object.keys(credentials).map((id) =>
        modelEntry(`own/${id}`, { [id]: 'sim-chat-pro' }, { tier: 'paid', pricing: PRICING }),
      ),
    };
  },
});

function chat(model: string, more: object = {}, signal?: AbortSignal) {
  return gateway.post('chat/completions', chatBody({ model, max_tokens: 5, ...more }), {
    ...(signal === undefined ? {} : { signal }),
  });
}

async function read(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
  const [dataPlane] = gateway.dataPlanes;
  if (dataPlane === undefined) throw new Error('there is no data plane');
  return sumOf(await readMetrics(dataPlane), name, labels);
}

describe('the metrics of a data plane', () => {
  it("the overhead metric counts the gateway's time without the provider's", async () => {
    const sums = async () => ({
      answers: Number((await read('gateway_overhead_seconds_count')) ?? 0),
      added: Number((await read('gateway_overhead_seconds_sum')) ?? 0),
      lasted: Number((await read('gateway_request_duration_seconds_sum')) ?? 0),
    });
    const before = await sums();
    const response = await chat('own/well', { simulate: { delay_ms: PROVIDER_MS } });
    expect(response.status).toBe(200);
    const reportedMs = Number(response.headers.get('x-gateway-overhead-ms'));
    await response.text();
    await until(async () => (await sums()).answers === before.answers + 1);
    const after = await sums();
    const addedMs = (after.added - before.added) * 1_000;
    expect(addedMs).toBeGreaterThan(0);
    // The header is written a moment later.
    expect(addedMs).toBeLessThanOrEqual(reportedMs + 0.01);
    expect((after.lasted - before.lasted) * 1_000 - addedMs).toBeGreaterThanOrEqual(PROVIDER_MS - 1);
  });

  it('the allowance metrics show the money reserved by running requests and spare for the next', async () => {
    const stop = new AbortController();
    const hanging = chat('own/well', { simulate: { hang: 'before_headers' } }, stop.signal).catch(() => null);
    await until(async () => Number(await read('gateway_allowance_usd', { state: 'reserved' })) > 0);
    expect(await read('gateway_allowance_payers')).toBe(1);
    expect(await read('gateway_allowance_waiting_requests')).toBe(0);
    stop.abort();
    await hanging;
    await until(async () => (await read('gateway_allowance_usd', { state: 'reserved' })) === 0);
    expect(await read('gateway_allowance_usd', { state: 'spare' })).toBeGreaterThan(0);
    await until(async () => (await read('gateway_allowance_payers')) === 0);
    expect(await read('gateway_allowance_usd', { state: 'spare' })).toBe(0);
  });

  it('the breaker metrics show which provider is open, and why its attempts failed', async () => {
    const open = (provider: string) => read('gateway_provider_breaker_open', { provider });
    expect(await open('failing')).toBe(0);
    for (let failed = 0; failed < FAILURES_TO_OPEN; failed++) {
      await (await chat('own/failing', { simulate: { status: 500 } })).text();
    }
    await until(async () => (await open('failing')) === 1);
    expect(await open('well')).toBe(0);
    const failing = { provider: 'failing', outcome: 'failed', cause: 'upstream_error' };
    expect(await read('gateway_upstream_attempts_total', failing)).toBeGreaterThanOrEqual(FAILURES_TO_OPEN);
    const well = { provider: 'well', outcome: 'completed', cause: '' };
    expect(await read('gateway_upstream_attempts_total', well)).toBeGreaterThan(0);
  });

  it('the credential metrics count credentials by state, and refused attempts', async () => {
    const count = (provider: string, state: string) =>
      read('gateway_provider_credentials', { provider, state });
    expect([await count('several', 'usable'), await count('several', 'missing')]).toEqual([2, 1]);
    for (const state of ['limited', 'refused', 'missing']) expect(await count('well', state)).toBe(0);
    expect(await count('open', 'usable')).toBe(1);
    // A conversation stays with one credential, so these are several.
    let conversations = 0;
    await until(async () => {
      conversations += 1;
      const messages = [{ role: 'user', content: `question ${conversations}` }];
      expect((await chat('own/several', { messages })).status).toBe(200);
      return (await count('several', 'refused')) === 1;
    });
    expect(await count('several', 'usable')).toBe(1);
    const refused = { provider: 'several', cause: 'credential' };
    await until(async () => (await read('gateway_upstream_attempts_total', refused)) === 1);
    const limited = await chat('own/several', { simulate: { status: 429 } });
    expect(limited.status).toBe(429);
    expect([await count('several', 'limited'), await count('several', 'refused')]).toEqual([1, 1]);
  });

  it('the metrics forget a provider that left the catalog', async () => {
    const providers = async () => [
      await read('gateway_provider_breaker_open', { provider: 'sim' }),
      await read('gateway_provider_credentials', { provider: 'well' }),
    ];
    expect(await providers()).toEqual([undefined, 1]);
    await gateway.applyCatalog({
      providers: [{ id: 'sim', name: 'Sim', kind: 'openai-compatible', base_url: gateway.provider.baseUrl }],
      models: [],
    });
    await until(async () => JSON.stringify(await providers()) === '[0,null]');
  });

  it('the metric of lost records starts at 0', async () => {
    for (const reason of ['overflow', 'shutdown', 'refused'])
      expect(await read('gateway_settlement_records_lost_total', { reason })).toBe(0);
  });

  it('the catalog metric shows whether the catalog watch is live, in both services', async () => {
    const [controlPlane] = gateway.controlPlanes;
    const { catalog } = gateway;
    if (controlPlane === undefined || catalog === undefined) throw new Error('they were started');
    const live = async () => [
      await read('gateway_catalog_watch_live'),
      sumOf(await readMetrics(catalog), 'gateway_catalog_watch_live'),
    ];
    expect(await live()).toEqual([1, 1]);
    await controlPlane.close();
    await until(async () => (await live()).join() === '0,0');
  });
});

it.skipIf(!inject('ownRedis'))(
  'the limiter metric of a data plane and a catalog shows that limits are counted in memory',
  async () => {
    await using redis = await startOwnRedis();
    await using own = await startGateway({ catalog: true, redisUrl: redis.url });
    const [dataPlane] = own.dataPlanes;
    const { catalog } = own;
    if (dataPlane === undefined || catalog === undefined) throw new Error('they were started');
    const key = await own.createKey();
    const ask = async () => {
      const headers = { authorization: `Bearer ${key.rawKey}` };
      await Promise.all([
        fetch(`${own.baseUrl}/v1/usage`, { headers }),
        fetch(`http://127.0.0.1:${catalog.port}/v1/models`),
      ]);
    };
    const gaugesOf = async (name: string) =>
      Promise.all([dataPlane, catalog].map(async (service) => sumOf(await readMetrics(service), name)));
    await ask();
    expect(await gaugesOf('gateway_limiter_fallback')).toEqual([0, 0]);
    await redis.stop();
    await until(async () => {
      await ask();
      return (await gaugesOf('gateway_limiter_fallback')).join() === '1,1';
    });
    for (const failures of await gaugesOf('gateway_limiter_redis_failures_total'))
      expect(failures).toBeGreaterThanOrEqual(5);
  },
);

it('the limiter metric of a data plane without Redis stays 0', async () => {
  await using own = await startGateway();
  const [dataPlane] = own.dataPlanes;
  if (dataPlane === undefined) throw new Error('it was started');
  expect(sumOf(await readMetrics(dataPlane), 'gateway_limiter_fallback')).toBe(0);
});
