import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import proxyaddr from 'proxy-addr';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientIp } from './client-ip.ts';
import { headerValues } from './header-values.ts';
import { listen } from './listen.ts';

const server = createServer({ requireHostHeader: false }, (_req, res) => res.end());
let client: Socket;

beforeAll(async () => {
  client = connect(await listen(server, 0, '127.0.0.1'), '127.0.0.1').resume();
});
afterAll(() => {
  client.destroy();
  server.close();
});

/** Returns a request with these header lines, in the form in which Node hands it out. */
async function received(...lines: string[]): Promise<IncomingMessage> {
  const arrived: Promise<[IncomingMessage]> = once(server, 'request').then(([req]) => [req]);
  client.write(['GET / HTTP/1.1', ...lines, '', ''].join('\r\n'));
  return (await arrived)[0];
}

describe('the values of a header', () => {
  it.each([
    [[]],
    [['Host: a']],
    [['host: a', 'HOST: b', 'hosx: c', 'x-host: d']],
    [['Authorization: one', 'Host: a', 'authorization: two', 'AUTHORIZATION:']],
    [['Content-Type: a/b, c/d', 'content-type: e/f']],
  ])('are all that came, in any spelling: %j', async (lines) => {
    const req = await received(...lines);
    for (const name of ['host', 'authorization', 'content-type'])
      expect(headerValues(req, name)).toEqual(req.headersDistinct[name] ?? []);
  });
});

describe('the address of a client', () => {
  it.each([
    [[]],
    [['X-Forwarded-For:']],
    [['X-Forwarded-For: 203.0.113.7']],
    [['x-forwarded-for: 203.0.113.7, 198.51.100.1', 'X-Forwarded-For: 192.0.2.1']],
  ])('is what proxy-addr says, however many are trusted: %j', async (lines) => {
    const req = await received(...lines);
    for (const hops of [0, 1, 2, 9]) {
      const trust = (_address: string, hop: number) => hop < hops;
      expect(clientIp(req, trust)).toBe(proxyaddr(req, trust));
    }
  });
});
