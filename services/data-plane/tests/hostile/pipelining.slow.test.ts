import { connect } from 'node:net';
import { watchLag, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';

const gateway = withGateway();

/** Everything that comes back on one connection, until the server closes it or `isEnough`. */
function exchange(bytes: string, isEnough: (text: string) => boolean = () => false): Promise<string> {
  const { port } = new URL(gateway.baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    let text = '';
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    };
    const timer = setTimeout(() => reject(new Error(`the connection stayed open after ${text}`)), 60_000);
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (isEnough(text)) done();
    });
    socket.on('close', done);
    socket.on('error', () => undefined);
    socket.write(bytes);
  });
}

function chat(name: string, extra: object = {}): string {
  const body = JSON.stringify({
    model: 'sim/chat-free',
    messages: [{ role: 'user', content: name }],
    max_tokens: 3,
    ...extra,
  });
  return `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${gateway.rawKey}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);
const forwarded = () => gateway.provider.requests.map(({ body }) => JSON.stringify(body));

describe('pipelined requests', () => {
  it('pipelined requests may have ordinary headers, but not tens of kilobytes each', async () => {
    const slow = chat('slow', { simulate: { delay_ms: 300_000 } });
    const large = `GET /health HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(30_000)}\r\n\r\n`;
    // Ends long before the request ahead of them does.
    expect(await exchange(slow + large.repeat(4))).toBe('');
    const small = `GET /health HTTP/1.1\r\nHost: a\r\nX-Small: ${'x'.repeat(1_000)}\r\n\r\n`;
    const text = await exchange(chat('first') + small.repeat(20), (seen) => statuses(seen).length === 21);
    expect(statuses(text)).toEqual(Array.from({ length: 21 }, () => '200'));
  });

  it('pipelined requests are served one after another, in order', async () => {
    const first = chat('first', { simulate: { delay_ms: 150, content: 'one' } });
    const text = await exchange(
      `${first + chat('second', { simulate: { content: 'two' } })}GET /health HTTP/1.1\r\nHost: a\r\n\r\n`,
      (seen) => seen.includes('"status":"ok"'),
    );
    expect(statuses(text)).toEqual(['200', '200', '200']);
    expect(text.indexOf('"content":"one"')).toBeLessThan(text.indexOf('"content":"two"'));
    const [one, two] = gateway.provider.requests;
    const ended = await one?.closed;
    expect(two?.receivedAtMs).toBeGreaterThanOrEqual(ended?.atMs ?? Number.POSITIVE_INFINITY);
  });

  it.each([
    ['two Host headers', 'GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', '400'],
    [
      'an unknown transfer coding',
      'POST /health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      '400',
    ],
    ['an unknown expectation', 'GET /health HTTP/1.1\r\nHost: a\r\nExpect: foo\r\n\r\n', '417'],
    ['the wish to close', 'GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', '200'],
    ['broken bytes', 'GET / HTTP/9\r\n\r\n', '400'],
  ])('pipelined requests behind %s are never forwarded', async (_name, refused, status) => {
    const text = await exchange(refused + chat('smuggled').repeat(5));
    expect(statuses(text)).toEqual([status]);
    expect(forwarded()).toEqual([]);
  });

  it('broken bytes behind a complete request do not lose its response', async () => {
    const text = await exchange(`${chat('whole', { simulate: { delay_ms: 150 } })}GARBAGE\r\n\r\n`);
    expect(statuses(text)).toEqual(['200', '400']);
    expect(forwarded()).toHaveLength(1);
  });

  it('a pipelined stream that breaks ends with an error event, also behind another response', async () => {
    const stream = chat('stream', { stream: true, simulate: { truncate: { after_events: 2 } } });
    const text = await exchange(chat('slow', { simulate: { delay_ms: 150 } }) + stream);
    expect(statuses(text)).toEqual(['200', '200']);
    expect(text).toMatch(/data: \{"error":\{.*"code":"upstream_error"/);
    expect(text).not.toContain('[DONE]');
  });

  it('more pipelined requests than any client sends cut the connection', async () => {
    const text = await exchange(chat('flood', { simulate: { delay_ms: 300 } }).repeat(200));
    expect(statuses(text)).toEqual([]);
    expect(forwarded().length).toBeLessThanOrEqual(1);
  });
});

it('a connection is closed when the rest of an answered request does not come', async () => {
  const { port } = new URL(gateway.baseUrl);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: 3000\r\n\r\nxy');
  using lag = watchLag();
  const answeredAtMs = await new Promise<number>((resolve) =>
    socket.once('data', () => resolve(performance.now())),
  );
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  expect(performance.now() - answeredAtMs).toBeLessThan(12_000 + lag.allowanceMs());
});
