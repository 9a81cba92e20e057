import { randomUUID } from 'node:crypto';
import { ControlPlaneClient, type ModelHealthMessage } from '@model-gateway/contracts';
import { createLogger, createRegistry } from '@model-gateway/service-kit';
import { startGateway, type TestGateway, until } from '@model-gateway/test-kit';
import { startTcpProxy, type TcpProxy } from '@model-gateway/test-kit/tcp-proxy';
import { TEST_SECRETS } from '@model-gateway/test-kit/test-secrets';
import type { SettledRequest } from '../../src/settlement/settled-request.ts';
import type { SettlementBounds } from '../../src/settlement/settlement-queue.ts';
import { SettlementStream } from '../../src/settlement/settlement-stream.ts';

const token = TEST_SECRETS.INTERNAL_TOKEN;

/** A settlement stream to control planes whose connections can be broken. */
export interface TestSettlement extends AsyncDisposable {
  gateway: TestGateway;
  stream: SettlementStream;
  /** One in front of each control plane. */
  proxies: readonly TcpProxy[];
  /**
   * How many requests of the model the control plane counts, until it is the number expected or time is up.
   */
  countOf(modelId: string, expected: number, controlPlane?: number): Promise<number>;
  /** Value of gateway_settlement_records_lost_total. */
  lost(reason: string): Promise<number>;
}

export async function startSettlement(
  options: { controlPlanes?: number; bounds?: SettlementBounds } = {},
): Promise<TestSettlement> {
  await using stack = new AsyncDisposableStack();
  const gateway = stack.use(await startGateway({ controlPlanes: options.controlPlanes ?? 1, dataPlanes: 0 }));
  const proxies: TcpProxy[] = [];
  for (const { grpcPort } of gateway.controlPlanes)
    proxies.push(stack.use(await startTcpProxy(grpcPort, '127.0.0.1')));
  const clientOf = (ports: readonly number[]) =>
    stack.adopt(
      new ControlPlaneClient({ addresses: ports.map((port) => `127.0.0.1:${port}`), token, tls: {} }),
      (client) => client.close(),
    );
  const registry = createRegistry();
  const stream = new SettlementStream({
    client: clientOf(proxies.map(({ port }) => port)),
    log: createLogger({ service: 'test', level: 'silent' }),
    registry,
    ...(options.bounds === undefined ? {} : { bounds: options.bounds }),
  });
  stack.defer(async () => void (await stream.close(0)));
  stream.start();
  const direct = gateway.controlPlanes.map(({ grpcPort }) => clientOf([grpcPort]));
  const owned = stack.move();
  return {
    gateway,
    stream,
    proxies,
    async countOf(modelId, expected, controlPlane = 0) {
      const client = direct[controlPlane];
      if (client === undefined) throw new Error(`there is no control plane ${controlPlane}`);
      let count = 0;
      const watch = client.stubs.catalog.watchCatalog({ withModelHealth: true }, client.metadata);
      watch.on('error', () => undefined);
      watch.on('data', ({ modelHealth }: { modelHealth?: ModelHealthMessage | null }) => {
        count = modelHealth?.models.find(({ id }) => id === modelId)?.requests5m ?? count;
      });
      await until(() => count >= expected).catch(() => undefined);
      watch.cancel();
      return count;
    },
    async lost(reason) {
      const metric = await registry.getSingleMetric('gateway_settlement_records_lost_total')?.get();
      return metric?.values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A request that was completed just now. */
export function settled(modelId: string): SettledRequest {
  const attempt = {
    providerId: 'sim',
    outcome: 'completed',
    latencyMs: 12,
    endedAtMs: Date.now(),
    streamed: false,
  } as const;
  return {
    requestId: randomUUID(),
    modelId,
    capability: 'chat',
    owner: { accountId: 'acct_test' },
    keyId: 'key_test',
    usageSource: '',
    billingReason: 'completed',
    held: 0n,
    endedAtMs: attempt.endedAtMs,
    attempts: [attempt],
  };
}
