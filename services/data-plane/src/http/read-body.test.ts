import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { StopSwitch } from '@model-gateway/service-kit';
import { until } from '@model-gateway/test-kit';
import { afterAll, describe, expect, it } from 'vitest';
import { bodyBudgetBounds, createBodyBudget } from '../memory/body-budget.ts';
import { MinimumRate } from './minimum-rate.ts';
import { readBody } from './read-body.ts';

const budget = createBodyBudget(bodyBudgetBounds(1024 ** 3, 100_000));
const options = { maxBytes: 100_000, budget, minimumRate: new MinimumRate(), checkLarge: () => undefined };
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

/** Serves requests that return their body, and reports whether each was there at once. */
async function start() {
  const atOnce: boolean[] = [];
  const held: number[] = [];
  const pieces: number[] = [];
  const serve = async (req: IncomingMessage, res: ServerResponse) => {
    // A request waits for its key at least this long. Node parses the rest of the packet meanwhile.
    await Promise.resolve();
    const ends: (() => void)[] = [];
    const record = { key: { keyId: 'key', accountId: 'account' } };
    const body = readBody({ req, res, record, stop: new StopSwitch(), ends }, options);
    atOnce.push(!(body instanceof Promise));
    const chunks = await body;
    pieces.push(chunks.length);
    res.end(Buffer.concat(chunks));
    held.push(budget.usedBytes);
    for (const end of ends) end();
  };
  const server = stack.use(createServer((req, res) => void serve(req, res)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  stack.defer(() => void socket.destroy());
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  return { atOnce, held, pieces, socket, received: (text: string) => until(() => received.includes(text)) };
}

const head = (header: string) => `POST / HTTP/1.1\r\nhost: a\r\n${header}\r\n\r\n`;

describe('a body', () => {
  it('is read at once if it is small and has arrived with its headers, also on a used connection', async () => {
    const { atOnce, held, received, socket } = await start();
    socket.write(`${head('content-length: 5')}first`);
    await received('first');
    socket.write(`${head('content-length: 6')}second`);
    await received('second');
    expect(atOnce).toEqual([true, true]);
    expect(held).toEqual([5, 6]);
    expect(budget.usedBytes).toBe(0);
  });

  it('in chunks of one byte is joined, because each chunk takes memory of its own', async () => {
    const { pieces, received, socket } = await start();
    const bytes = 50_000;
    socket.write(`${head('transfer-encoding: chunked')}${'1\r\nx\r\n'.repeat(bytes)}1\r\n!\r\n0\r\n\r\n`);
    await received(`${'x'.repeat(1_000)}!`);
    expect(pieces[0]).toBeLessThan(bytes / 100);
  });

  it('is waited for if a part of it is missing, or if its length is not known', async () => {
    const { atOnce, received, socket } = await start();
    socket.write(`${head('content-length: 5')}fir`);
    await until(() => atOnce.length === 1);
    socket.write('st');
    await received('first');
    socket.write(`${head('transfer-encoding: chunked')}6\r\nsecond\r\n0\r\n\r\n`);
    await received('second');
    expect(atOnce).toEqual([false, false]);
    expect(budget.usedBytes).toBe(0);
  });

  it('is waited for if it is large, because its key may be at its limits', async () => {
    const { atOnce, received, socket } = await start();
    socket.write(`${head('content-length: 70000')}${'x'.repeat(69_997)}end`);
    await received('end');
    expect(atOnce).toEqual([false]);
  });
});
