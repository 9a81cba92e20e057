import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { openAiCompatible } from '@model-gateway/dialects';
import { expect, it } from 'vitest';
import type { RoutedModel, RoutedProvider } from '../catalog/model-table.ts';
import { EgressProxy } from '../egress/egress-proxy.ts';
import { ProviderPools } from './provider-pools.ts';
import { UpstreamCall } from './upstream-call.ts';

const provider = (connectMs: number, origin = 'http://127.0.0.1:9'): RoutedProvider => ({
  id: 'acme',
  kind: 'openai-compatible',
  origin,
  pathPrefix: '',
  protocol: openAiCompatible,
  credentials: [{ variable: undefined, source: undefined, weight: 1 }],
  headers: {},
  timeouts: { connectMs, firstByteMs: 1, idleMs: 1, totalMs: 1, firstBytePlainMs: undefined },
});

function catalogOf(base: RoutedProvider, ...ofModels: RoutedProvider[]) {
  const models = ofModels.map((own, index): [string, RoutedModel] => [
    `acme/${index}`,
    {
      id: `acme/${index}`,
      capability: 'chat',
      tier: 'free',
      contextLength: undefined,
      maxOutputTokens: undefined,
      mediaPartTokens: 1,
      filePartTokens: 1,
      price: undefined,
      upstreams: [{ provider: own, model: 'm', priority: 1, weight: 1 }],
    },
  ]);
  return { providers: new Map([[base.id, base]]), models: new Map(models) };
}

it('models with the same connect timeout share a pool, and others have their own', async () => {
  const pools = new ProviderPools(new EgressProxy());
  const shared = pools.get(provider(5_000));
  expect(pools.get({ ...provider(5_000), timeouts: { ...provider(5_000).timeouts, idleMs: 7 } })).toBe(
    shared,
  );
  expect(pools.get(provider(100))).not.toBe(shared);
  await pools.close();
});

it('an unused pool is closed, and its running calls still end', async () => {
  await using stack = new AsyncDisposableStack();
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  stack.defer(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const pools = new ProviderPools(new EgressProxy());
  stack.defer(() => pools.close());
  const [base, own] = [5_000, 100_000].map((connectMs) => provider(connectMs, `http://127.0.0.1:${port}`));
  if (base === undefined || own === undefined) throw new Error('two providers');
  const [kept, left] = [pools.get(base), pools.get(own)];
  pools.keepOnly(catalogOf(base, base, own));
  expect(left.closed).toBe(false);

  const connected = once(server, 'connection');
  const answer = new UpstreamCall(new AbortController().signal).send(left, {
    path: '/',
    headers: {},
    body: 'x',
  });
  await connected;
  pools.keepOnly(catalogOf(base, base));
  expect({ kept: kept.closed, left: left.closed }).toEqual({ kept: false, left: true });
  expect(pools.get(base)).toBe(kept);
  sockets[0]?.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  expect((await answer).statusCode).toBe(200);
});

it('a provider with a new origin gets new pools', async () => {
  const pools = new ProviderPools(new EgressProxy());
  const [here, slow] = [pools.get(provider(5_000)), pools.get(provider(100))];
  const there = pools.get(provider(5_000, 'http://127.0.0.1:10'));
  expect(there).not.toBe(here);
  expect([here.closed, slow.closed, there.closed]).toEqual([true, true, false]);
  await pools.close();
});
