import { randomBytes } from 'node:crypto';
import { ControlPlaneClient } from '@model-gateway/contracts';
import {
  addPool,
  chatBody,
  PROVIDER_CREDENTIAL,
  simulatedCatalog,
  startRedisServer,
  TEST_SECRETS,
  watchLag,
} from '@model-gateway/test-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import { startOwnPostgres } from '@model-gateway/test-kit/own-postgres';
import { type Throttle, throttle } from '@model-gateway/test-kit/throttle';
import { startSimulatedProvider } from '../../../../packages/simulated-provider/src/index.ts';
import { ServiceProcess } from '../drills/outage-money-process.ts';

const CALL_MS = 30_000;

export interface ThrottledBurst {
  requests: number;
  /** Share of one CPU, for each of the four. */
  share: number;
  how?: Throttle['how'] | undefined;
}

export interface BurstFigures {
  how: Throttle['how'];
  /** Answers by status. */
  free: Record<number, number>;
  paid: Record<number, number>;
  slowestMs: number;
  /** Time that the machine of the run adds. */
  lagMs: number;
}

/**
 * Two bursts on a key that no data plane knows yet, free and paid, with every service and store throttled.
 */
export async function burstThrottled({ requests, share, how }: ThrottledBurst): Promise<BurstFigures> {
  await using stack = new AsyncDisposableStack();
  const provider = stack.use(await startSimulatedProvider({ apiKey: PROVIDER_CREDENTIAL, tokenDelayMs: 0 }));
  const [postgres, redis] = await Promise.all([startOwnPostgres(), startRedisServer()]);
  stack.use(postgres);
  if (redis === undefined) throw new Error('there was a redis-server a moment ago');
  stack.use(redis);
  const ports = await Promise.all(Array.from({ length: 4 }, freePort));
  const takePorts = () => ({ port: ports.pop() ?? 0, internalPort: ports.pop() ?? 0 });
  const controlPlane = stack.use(
    new ServiceProcess('control-plane', takePorts(), {
      ...TEST_SECRETS,
      DATABASE_URL: postgres.databaseUrl,
      REDIS_URL: redis.url,
    }),
  );
  await controlPlane.start();
  const addresses = [`127.0.0.1:${controlPlane.port}`];
  const admin = stack.adopt(
    new ControlPlaneClient({ addresses, token: TEST_SECRETS.ADMIN_TOKEN, tls: {} }),
    (client) => client.close(),
  );
  await admin.call(CALL_MS, 'catalog', 'applyCatalog', {
    documentJson: JSON.stringify(simulatedCatalog(provider.baseUrl)),
  });
  const dataPlane = stack.use(
    new ServiceProcess('data-plane', takePorts(), {
      ...TEST_SECRETS,
      CONTROL_PLANE_ADDRESS: addresses.join(','),
      SIMULATED_API_KEY: PROVIDER_CREDENTIAL,
      REDIS_URL: redis.url,
      DRAIN_TIMEOUT_MS: '1000',
    }),
  );
  await dataPlane.start();
  const rawKey = await createKey(admin);
  const throttles = [dataPlane.pid, controlPlane.pid, redis.pid, postgres.pid].map((pid) => {
    if (pid === undefined) throw new Error('a process is gone');
    return stack.use(throttle([pid], share, how));
  });
  using lag = watchLag();
  const url = `http://127.0.0.1:${dataPlane.port}/v1/chat/completions`;
  const free = await burst(url, rawKey, 'sim/chat-free', requests);
  const paid = await burst(url, rawKey, 'sim/chat-pro', requests);
  return {
    how: throttles[0]?.how ?? 'signals',
    free: free.statuses,
    paid: paid.statuses,
    slowestMs: Math.round(Math.max(free.slowestMs, paid.slowestMs)),
    lagMs: Math.round(lag.allowanceMs()),
  };
}

async function createKey(admin: ControlPlaneClient): Promise<string> {
  const email = `${randomBytes(8).toString('hex')}@example.com`;
  const { id: account } = await admin.call(CALL_MS, 'accounts', 'createAccount', { email, name: 'Test' });
  await addPool(admin, { kind: 'account', id: account }, '1000');
  const { rawKey } = await admin.call(CALL_MS, 'accounts', 'createKey', { account, name: 'test' });
  return rawKey;
}

async function burst(url: string, rawKey: string, model: string, requests: number) {
  const statuses: Record<number, number> = {};
  let slowestMs = 0;
  const sentAtMs = performance.now();
  await Promise.all(
    Array.from({ length: requests }, async () => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(chatBody({ model, max_tokens: 1 })),
      });
      await response.arrayBuffer();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      slowestMs = Math.max(slowestMs, performance.now() - sentAtMs);
    }),
  );
  return { statuses, slowestMs };
}
