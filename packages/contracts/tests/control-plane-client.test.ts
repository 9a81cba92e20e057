import { once } from 'node:events';
import { createServer } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { expect, it } from 'vitest';
import { ControlPlaneClient, GrpcStatus, gatewayProto, grpcStatus } from '../src/index.ts';

/** Serves only CreateKey, and may drop all connections when called. */
async function startControlPlane(dropsConnection: boolean) {
  const calls = { count: 0 };
  const server = new Server();
  server.addService(gatewayProto.AccountService.service, {
    CreateKey: (_call: unknown, callback: (error: null, answer: object) => void) => {
      calls.count++;
      if (dropsConnection) server.forceShutdown();
      else callback(null, { rawKey: 'gw_live_test' });
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { address: `127.0.0.1:${port}`, calls, [Symbol.dispose]: () => server.forceShutdown() };
}

async function addressOfNobody(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === 'string') throw new Error('no TCP port');
  return `127.0.0.1:${address.port}`;
}

function createKey(client: ControlPlaneClient, method: 'call' | 'callOnce') {
  return client[method](5_000, 'accounts', 'createKey', { account: 'a', name: 'n' });
}

it('connect() opens the connection of a client before its first call', async () => {
  const server = createServer((socket) => socket.destroy());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const client = new ControlPlaneClient({ addresses: [`127.0.0.1:${port}`], token: 'x', tls: {} });
  try {
    const connection = once(server, 'connection');
    client.connect();
    await connection;
  } finally {
    client.close();
    server.close();
  }
});

it.each(['call', 'callOnce'] as const)(
  'a call to several control planes finds the one that runs (%s)',
  async (method) => {
    using live = await startControlPlane(false);
    const addresses = [await addressOfNobody(), live.address];
    const client = new ControlPlaneClient({ addresses, token: 'x', tls: {} });
    try {
      expect((await createKey(client, method)).rawKey).toBe('gw_live_test');
      expect(live.calls.count).toBe(1);
    } finally {
      client.close();
    }
  },
);

it('a call that must not run twice is not retried when its connection is lost', async () => {
  using lost = await startControlPlane(true);
  using live = await startControlPlane(false);
  const client = new ControlPlaneClient({ addresses: [lost.address, live.address], token: 'x', tls: {} });
  try {
    const failure: unknown = await createKey(client, 'callOnce').catch((error: unknown) => error);
    expect([GrpcStatus.UNAVAILABLE, GrpcStatus.CANCELLED]).toContain(grpcStatus(failure));
    expect(lost.calls.count).toBe(1);
    expect(live.calls.count).toBe(0);
  } finally {
    client.close();
  }
});

it('a call to several control planes must be unary and match its request type', () => {
  // Checked by the compiler only.
  const calls = (client: ControlPlaneClient) => [
    client
      .call(1, 'keys', 'resolveKey', { lookupHash: 'a' })
      .then(({ key }): string | undefined => key?.keyId),
    // @ts-expect-error: of another service
    client.call(1, 'billing', 'resolveKey', { lookupHash: 'a' }),
    // @ts-expect-error: a stream
    client.call(1, 'keys', 'watchKeys', {}),
    // @ts-expect-error: what every gRPC client has
    client.call(1, 'keys', 'close', {}),
    // @ts-expect-error: a field that the message does not have
    client.callOnce(1, 'accounts', 'createKey', { acount: 'a', name: 'n' }),
  ];
  expect(calls).toBeTypeOf('function');
});
