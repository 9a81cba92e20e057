import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChunkedWrites } from './chunked-writes.ts';

const TEXTS = ['data: {"a":1}\n\n', 'data: é 😀\n\n', 'x'.repeat(100_000)];

const NEXT = 'GET /next HTTP/1.1\r\nhost: gateway\r\nconnection: close\r\n\r\n';
let server: Server;
let answer: (res: ServerResponse) => void;

beforeAll(async () => {
  server = createServer((_req, res) => answer(res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
});

/** All bytes that a client gets that sends these. */
async function bytesFor(request: string, answerWith: typeof answer): Promise<string> {
  answer = answerWith;
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it does not listen');
  const socket = connect(address.port, '127.0.0.1');
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  socket.write(request);
  await once(socket, 'close');
  return Buffer.concat(parts)
    .toString()
    .replace(/^Date: .*$/gm, 'Date: now');
}

function begin(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
}

const byNode = (res: ServerResponse) => {
  begin(res);
  for (const text of TEXTS) res.write(text);
  res.end('the end é');
};
const byUs = (res: ServerResponse) => {
  begin(res);
  const writes = new ChunkedWrites(res);
  for (const text of [...TEXTS, '']) writes.write(text);
  writes.end('the end é');
};

describe('chunked writes', () => {
  it('produce the same bytes as Node, and the next response follows', async () => {
    const request = `GET / HTTP/1.1\r\nhost: gateway\r\n\r\n${NEXT}`;
    const bytes = await bytesFor(request, byUs);
    expect(bytes).toBe(await bytesFor(request, byNode));
    expect(bytes.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  });

  it('have no framing for a client of HTTP/1.0', async () => {
    const request = 'GET / HTTP/1.0\r\n\r\n';
    const bytes = await bytesFor(request, byUs);
    expect(bytes).toBe(await bytesFor(request, byNode));
    expect(bytes).toContain(`\r\n\r\n${TEXTS.join('')}the end é`);
  });

  it('have no framing for a client of HTTP/1.0 with keep-alive', async () => {
    const request = 'GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n';
    expect(await bytesFor(request, byUs)).toBe(await bytesFor(request, byNode));
  });

  it('write no body in response to HEAD', async () => {
    const request = `HEAD / HTTP/1.1\r\nhost: gateway\r\n\r\n${NEXT}`;
    expect(await bytesFor(request, byUs)).toBe(await bytesFor(request, byNode));
  });

  it('encode half a character as Node does, and may end without a text', async () => {
    const request = `GET / HTTP/1.1\r\nhost: gateway\r\n\r\n${NEXT}`;
    const half = '😀'.slice(0, 1);
    const bytes = await bytesFor(request, (res) => {
      begin(res);
      const writes = new ChunkedWrites(res);
      writes.write(half);
      writes.end('');
    });
    const expected = await bytesFor(request, (res) => {
      begin(res);
      res.write(half);
      res.end('');
    });
    expect(bytes).toBe(expected);
  });

  it.each(['', 'é'])('call back when %o is written', async (text) => {
    const request = 'GET / HTTP/1.1\r\nhost: gateway\r\n\r\n';
    const bytes = await bytesFor(request, (res) => {
      begin(res);
      const { socket } = res;
      new ChunkedWrites(res).write(text, () => socket?.destroySoon());
    });
    // Without its last chunk: no client takes it for a whole answer.
    expect(bytes.endsWith(text === '' ? '\r\n\r\n' : '\r\n\r\n2\r\né\r\n')).toBe(true);
  });
});
