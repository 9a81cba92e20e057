import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterAll, expect, it } from 'vitest';
import { OPENAI_CALLER } from '../http/caller-protocol.ts';
import type { Exchange } from '../http/exchange.ts';
import { ClientGone } from '../http/exchange.ts';
import { CatalogProxy } from './catalog-proxy.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

async function listening(listener: RequestListener): Promise<string> {
  const server: Server = stack.use(createServer(listener));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
}

function exchangeOf(req: Exchange['req'], res: Exchange['res'], stop = new AbortController()): Exchange {
  const record = {
    id: 'req_1',
    clientRequestId: undefined,
    route: '',
    startedAtMs: 0,
    clientIp: '',
    streamed: false,
    attempts: [],
  };
  return { req, res, record, caller: OPENAI_CALLER, stop, ends: [] };
}

it('a response that the catalog service breaks off is broken off for the client, too', async () => {
  const catalogUrl = await listening((_req, res) => {
    res.writeHead(200, { 'content-length': 1_000 });
    res.write('some', () => res.destroy());
  });
  const proxy = stack.adopt(new CatalogProxy({ catalogUrl, internalToken: 'x' }), (owned) => owned.close());
  const ended = Promise.withResolvers<unknown>();
  const url = await listening((req, res) => {
    proxy.forward(exchangeOf(req, res)).then(ended.resolve, ended.resolve);
  });
  const answer = await fetch(url);
  await expect(answer.text()).rejects.toThrow();
  await ended.promise;
});

it('a request whose client has already left is rejected', async () => {
  const proxy = stack.adopt(
    new CatalogProxy({ catalogUrl: 'http://127.0.0.1:9', internalToken: 'x' }),
    (owned) => owned.close(),
  );
  const outcome = Promise.withResolvers<unknown>();
  const url = await listening((req, res) => {
    res.once('close', () => {
      const stop = new AbortController();
      stop.abort(new ClientGone());
      proxy.forward(exchangeOf(req, res, stop)).catch(outcome.resolve);
    });
  });
  const reader = new AbortController();
  const asked = fetch(url, { signal: reader.signal });
  setImmediate(() => reader.abort());
  await expect(asked).rejects.toThrow();
  // Where the request had not gone out, nobody was told of anything.
  let isOver = false;
  void outcome.promise.then(() => {
    isOver = true;
  });
  for (let ms = 50; !isOver; ms *= 2)
    await fetch(url, { signal: AbortSignal.timeout(ms) }).catch(() => undefined);
  expect(await outcome.promise).toBeInstanceOf(ClientGone);
});
