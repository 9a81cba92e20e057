import { once } from 'node:events';
import { createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer } from 'node:net';
import { Readable } from 'node:stream';
import { Pool } from 'undici';
import { describe, expect, it } from 'vitest';
import { ClientGone } from '../http/exchange.ts';
import { UpstreamCall } from './upstream-call.ts';

const REQUEST = { path: '/', headers: { 'content-type': 'application/octet-stream' } };

describe('a call to a provider', () => {
  it.each(['HTTP/1.1', 'HTTP/2'])(
    'that is given up before its upload has a connection (%s) fails with the reason, and nothing else',
    async (version) => {
      await using stack = new AsyncDisposableStack();
      const isHttp2 = version === 'HTTP/2';
      const server = isHttp2 ? createHttp2Server() : createServer();
      stack.defer(() => void server.close());
      const pool = stack.adopt(
        await poolOf(server.listen(0, '127.0.0.1'), isHttp2 ? { ...{ useH2c: true }, allowH2: true } : {}),
        (owned) => owned.destroy(),
      );
      const stop = new AbortController();
      const body = Readable.from(
        (async function* () {
          yield 'first';
          await new Promise(() => undefined);
        })(),
      );
      const sent = new UpstreamCall(stop.signal).send(pool, { ...REQUEST, body });
      const reason = new ClientGone();
      stop.abort(reason);
      await expect(sent).rejects.toBe(reason);
      // Longer than a connection takes here: what it would raise then fails this test.
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(body.destroyed).toBe(true);
    },
  );

  it('passes each early chunk to the reader that is set at that moment', async () => {
    await using stack = new AsyncDisposableStack();
    const server = createServer((socket) =>
      socket.once('data', () =>
        socket.write(
          'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n5\r\nthree\r\n0\r\n\r\n',
        ),
      ),
    );
    stack.defer(() => void server.close());
    const pool = stack.adopt(await poolOf(server.listen(0, '127.0.0.1')), (owned) => owned.destroy());
    const answer = await new UpstreamCall(new AbortController().signal).send(pool, { ...REQUEST, body: 'x' });
    const heard: string[] = [];
    await new Promise<void>((resolve, reject) => {
      answer.read({
        onChunk: (chunk) => {
          heard.push(`first: ${chunk}`);
          if (String(chunk) !== 'two') return;
          answer.read({
            onChunk: (next) => heard.push(`second: ${next}`),
            onEnd: resolve,
            onError: reject,
          });
        },
        onEnd: () => reject(new Error('told the wrong reader')),
        onError: reject,
      });
    });
    expect(heard).toEqual(['first: one', 'first: two', 'second: three']);
  });
});

async function poolOf(
  server: { address(): AddressInfo | string | null } & NodeJS.EventEmitter,
  options: Pool.Options = {},
): Promise<Pool> {
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return new Pool(`http://127.0.0.1:${address.port}`, options);
}
