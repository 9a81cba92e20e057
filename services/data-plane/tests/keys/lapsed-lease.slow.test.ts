import { parseDataPlaneConfig, startDataPlane } from '@model-gateway/data-plane';
import { createLogger } from '@model-gateway/service-kit';
import {
  chatBody,
  metricOf,
  PROVIDER_CREDENTIAL,
  postJson,
  startGateway,
  startOwnRedis,
  type TestGateway,
  until,
} from '@model-gateway/test-kit';
import { startTcpProxy, type TcpProxy } from '@model-gateway/test-kit/tcp-proxy';
import { TEST_SECRETS } from '@model-gateway/test-kit/test-secrets';
import { describe, expect, inject, it } from 'vitest';

/** Starts a gateway, and a data plane that reaches its control plane through a proxy that can be cut. */
async function startRemotePlane(stack: AsyncDisposableStack, redisUrl?: string) {
  const redis = redisUrl === undefined ? {} : { redisUrl };
  const gateway = stack.use(await startGateway({ dataPlanes: 0, ...redis }));
  const proxy = stack.use(await startTcpProxy(gateway.controlPlanes[0]?.grpcPort ?? 0, '127.0.0.1'));
  const config = parseDataPlaneConfig({
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: '0',
    INTERNAL_PORT: '0',
    LOG_LEVEL: 'silent',
    INTERNAL_TOKEN: TEST_SECRETS.INTERNAL_TOKEN,
    API_KEY_LOOKUP_PEPPER: TEST_SECRETS.API_KEY_LOOKUP_PEPPER,
    REDIS_URL: redisUrl,
    CONTROL_PLANE_ADDRESS: `127.0.0.1:${proxy.port}`,
    CATALOG_URL: 'http://127.0.0.1:9',
    SIMULATED_API_KEY: PROVIDER_CREDENTIAL,
    DRAIN_TIMEOUT_MS: '1000',
  });
  const plane = await startDataPlane(config, { log: createLogger({ service: 'test', level: 'silent' }) });
  stack.defer(() => plane.close());
  await until(async () => (await fetch(`http://127.0.0.1:${plane.internalPort}/health/ready`)).ok);
  return {
    gateway,
    proxy,
    baseUrl: `http://127.0.0.1:${plane.port}`,
    /** Returns the seconds since the key cache was last confirmed, from its metrics. */
    async watchLagSeconds(): Promise<number> {
      return metricOf(plane, 'gateway_key_watch_lag_seconds');
    },
  };
}

const LEASE_SECONDS = 3;
/** An event has more than a hundred characters, and there are at most twenty events in a second. */
const CHARACTERS_OF_FIVE_SECONDS = 10_000;

interface OpenStream {
  text(): string;
  ended: Promise<void>;
  hasEnded(): boolean;
}

/** A streamed answer that goes on for a minute. */
async function open(baseUrl: string, rawKey: string): Promise<OpenStream> {
  const simulate = { token_delay_ms: 50, content: 'word '.repeat(1_200) };
  const body = chatBody({ stream: true, max_tokens: 2_000, simulate });
  const response = await postJson(baseUrl, rawKey, 'chat/completions', body);
  expect(response.status).toBe(200);
  let text = '';
  let hasEnded = false;
  const read = async () => {
    try {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
    } catch {
      // Broken off, as a failed stream must be.
    }
    hasEnded = true;
  };
  const ended = read();
  await until(() => text !== '');
  return { text: () => text, ended, hasEnded: () => hasEnded };
}

async function cutAndRevoke(gateway: TestGateway, proxy: TcpProxy, keyId: string): Promise<string[]> {
  proxy.cut();
  return (await gateway.revokeKey(keyId)).unconfirmedInstances;
}

// They wait for leases, so they run at the same time.
describe.concurrent('a data plane that no control plane reaches', () => {
  it.skipIf(!inject('ownRedis'))(
    "a cut-off data plane is named by a revocation, sees it in Redis and ends only the revoked key's streams",
    async () => {
      await using stack = new AsyncDisposableStack();
      const redis = await startOwnRedis();
      stack.use(redis);
      const { gateway, proxy, baseUrl } = await startRemotePlane(stack, redis.url);
      const [leaked, other] = [await gateway.createKey(), await gateway.createKey()];
      const [stream, bystander] = [await open(baseUrl, leaked.rawKey), await open(baseUrl, other.rawKey)];
      const unconfirmed = await cutAndRevoke(gateway, proxy, leaked.id);
      const revokedAtMs = performance.now();
      expect(unconfirmed).toHaveLength(1);
      await stream.ended;
      console.info(
        `ended ${Math.round(performance.now() - revokedAtMs)} ms after the revocation was answered`,
      );
      expect(stream.text()).toContain('"code":"invalid_api_key"');
      const soFar = bystander.text().length;
      await until(() => bystander.text().length > soFar + 1_000);
      // It is named again for as long as it may still run.
      const later = await gateway.createKey();
      expect((await gateway.revokeKey(later.id)).unconfirmedInstances).toEqual(unconfirmed);
    },
  );

  it.skipIf(!inject('ownRedis'))('a cut-off data plane sees in Redis that a key has expired', async () => {
    await using stack = new AsyncDisposableStack();
    const redis = await startOwnRedis();
    stack.use(redis);
    const { gateway, proxy, baseUrl } = await startRemotePlane(stack, redis.url);
    const [key, other] = [await gateway.createKey(), await gateway.createKey()];
    const [stream, bystander] = [await open(baseUrl, key.rawKey), await open(baseUrl, other.rawKey)];
    proxy.cut();
    const endsAtMs = Date.now() + 2_000;
    await gateway.admin.call(10_000, 'accounts', 'expireKey', { keyId: key.id, atMs: String(endsAtMs) });
    await stream.ended;
    expect(stream.text()).toContain('"code":"invalid_api_key"');
    expect(Date.now()).toBeGreaterThanOrEqual(endsAtMs);
    const usage = (rawKey: string) =>
      fetch(`${baseUrl}/v1/usage`, { headers: { authorization: `Bearer ${rawKey}` } });
    // It answers 503 once its last confirmation of keys is too old.
    expect([401, 503]).toContain((await usage(key.rawKey)).status);
    expect(bystander.hasEnded()).toBe(false);
  });

  it('a cut-off data plane without Redis ends its streams after a few seconds', async () => {
    await using stack = new AsyncDisposableStack();
    const { gateway, proxy, baseUrl } = await startRemotePlane(stack);
    const leaked = await gateway.createKey();
    const stream = await open(baseUrl, leaked.rawKey);
    const unconfirmed = await cutAndRevoke(gateway, proxy, leaked.id);
    expect(unconfirmed).toHaveLength(1);
    await stream.ended;
    expect(stream.text()).toContain('"code":"control_plane_unavailable"');
    expect(stream.text()).not.toContain('[DONE]');
  });

  it('a data plane keeps its streams when its control plane is back soon after the lease ran out', async () => {
    await using stack = new AsyncDisposableStack();
    const { gateway, proxy, baseUrl, watchLagSeconds } = await startRemotePlane(stack);
    const key = await gateway.createKey();
    const stream = await open(baseUrl, key.rawKey);
    proxy.cut();
    await until(async () => (await watchLagSeconds()) > LEASE_SECONDS);
    proxy.restore();
    await until(async () => (await watchLagSeconds()) < LEASE_SECONDS);
    const soFar = stream.text().length;
    // Longer than the time after which an unconfirmed stream is cut.
    await until(() => stream.hasEnded() || stream.text().length > soFar + CHARACTERS_OF_FIVE_SECONDS);
    expect(stream.hasEnded()).toBe(false);
    await gateway.revokeKey(key.id);
    await stream.ended;
    expect(stream.text()).toContain('"code":"invalid_api_key"');
  });
});
