import { Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js';
import { createRegistry } from '@model-gateway/service-kit';
import { expect, it } from 'vitest';
import { CatalogWatch, ControlPlaneClient, gatewayProto } from '../src/index.ts';

const CATALOG = { revision: '1', providers: [], models: [], virtualModels: [] };

it('stored credentials come before their catalog, and an older control plane leaves them in place', async () => {
  const requested: unknown[] = [];
  const server = new Server();
  server.addService(gatewayProto.CatalogService.service, {
    WatchCatalog: (call: ServerWritableStream<object, object>) => {
      requested.push(call.request);
      const credentials = [{ name: 'ACME_API_KEY', sealed: Buffer.from('sealed') }];
      call.write({ catalog: CATALOG, credentials, hasCredentials: true });
      call.write({ catalog: { ...CATALOG, revision: '2' }, hasCredentials: true });
      // An older release sends no such members.
      call.write({ catalog: { ...CATALOG, revision: '3' } });
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const client = new ControlPlaneClient({ addresses: [`127.0.0.1:${port}`], token: 'x', tls: {} });
  const happened: string[] = [];
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const watch = new CatalogWatch({
    client,
    registry: createRegistry(),
    knownPrices: [],
    onCredentials: (all) =>
      happened.push(`credentials ${all.map(({ name, sealed }) => `${name}=${sealed}`)}`),
    onCatalog: ({ revision }) => {
      happened.push(`catalog ${revision}`);
      if (revision === '3') resolve();
    },
    onUnusable: (error) => happened.push(String(error)),
  });
  try {
    watch.start();
    await done;
    expect(happened).toEqual([
      'credentials ACME_API_KEY=sealed',
      'catalog 1',
      'credentials ',
      'catalog 2',
      'catalog 3',
    ]);
    expect(requested).toMatchObject([{ withCredentials: true }]);
  } finally {
    watch.close();
    client.close();
    server.forceShutdown();
  }
});
