import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { until } from '@model-gateway/test-kit/until';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SpreadPool } from './spread-pool.ts';
import type { UpstreamAnswer } from './upstream-answer.ts';
import { type ProviderRequest, UpstreamCall } from './upstream-call.ts';

/** Two pools and a quarter of one. */
const CALLS = 450;
const OF_A_POOL = 200;

const NOBODY = { onChunk: () => undefined, onEnd: () => undefined, onError: () => undefined };

let stack: AsyncDisposableStack;
/** By the path of the request. */
let answers: Map<string, ServerResponse>;
let spread: SpreadPool;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  answers = new Map();
  const server = createServer((req, res) => {
    if (req.url === '/upgraded') {
      req.socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
      return;
    }
    res.writeHead(200).flushHeaders();
    answers.set(req.url ?? '', res);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  stack.defer(() => void server.close());
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it does not listen');
  spread = new SpreadPool(`http://127.0.0.1:${address.port}`, {});
  stack.defer(() => spread.destroy());
});
afterEach(() => stack.disposeAsync());

async function ask(path: string): Promise<{ call: UpstreamCall; answer: UpstreamAnswer }> {
  const call = new UpstreamCall(new AbortController().signal);
  return { call, answer: await call.send(spread.get(), { path, headers: {}, body: 'x' }) };
}

it('concurrent calls are spread over small pools, and a pool whose calls have ended is used again', async () => {
  const first = spread.get();
  const calls = await Promise.all(Array.from({ length: CALLS }, (_, index) => ask(`/${index}`)));
  expect(first.stats.running).toBe(OF_A_POOL);
  expect(spread.get().stats.running).toBe(CALLS - 2 * OF_A_POOL);

  const [whole, left, broken] = calls;
  if (whole === undefined || left === undefined || broken === undefined) throw new Error('too few calls');
  const ends = [
    () => {
      whole.answer.read(NOBODY);
      answers.get('/0')?.end();
    },
    () => left.call.giveUp(new Error('the caller has left')),
    () => {
      broken.answer.read(NOBODY);
      answers.get('/2')?.destroy();
    },
  ];
  for (const end of ends) {
    expect(spread.get()).not.toBe(first);
    end();
    await until(() => spread.get() === first);
    await ask('/more');
  }
});

describe('a call without a response is not counted as running any more after', () => {
  const SIMPLE = { path: '/', headers: {}, body: 'x' };
  const refused: readonly { why: string; request: ProviderRequest; origin?: string }[] = [
    { why: 'a header that cannot be sent', request: { ...SIMPLE, headers: { x: 'a\nb' } } },
    { why: 'a body of another length', request: { ...SIMPLE, headers: { 'content-length': '9' } } },
    { why: 'an unrequested protocol upgrade', request: { ...SIMPLE, path: '/upgraded' } },
    { why: 'a refused connection', request: SIMPLE, origin: 'http://127.0.0.1:1' },
  ];
  it.each(refused)('$why', async ({ request, origin }) => {
    const pools = origin === undefined ? spread : new SpreadPool(origin, {});
    const pool = pools.get();
    const call = new UpstreamCall(new AbortController().signal);
    await expect(call.send(pool, request)).rejects.toThrow();
    call.close(false);
    expect(pool).toMatchObject({ running: 0 });
    await pools.destroy();
  });

  it('its upload breaks off', async () => {
    const pool = spread.get();
    const call = new UpstreamCall(new AbortController().signal);
    const body = new Readable({ read: () => undefined });
    const sent = call.send(pool, { path: '/', headers: {}, body });
    body.push('x');
    body.destroy(new Error('the caller has left'));
    await expect(sent).rejects.toThrow();
    expect(pool).toMatchObject({ running: 0 });
  });

  it('it is given up while it waits for a connection', async () => {
    const pool = spread.get();
    const call = new UpstreamCall(new AbortController().signal);
    const sent = call.send(pool, { path: '/', headers: {}, body: 'x' });
    expect(pool).toMatchObject({ running: 1 });
    call.giveUp(new Error('the caller has left'));
    await expect(sent).rejects.toThrow('the caller has left');
    expect(pool).toMatchObject({ running: 0 });
  });

  it('it is given up before it was sent', async () => {
    const pool = spread.get();
    const call = new UpstreamCall(AbortSignal.abort(new Error('the caller has left')));
    await expect(call.send(pool, { path: '/', headers: {}, body: 'x' })).rejects.toThrow('has left');
    expect(pool).toMatchObject({ running: 0 });
  });

  it('its pool was destroyed before the call', async () => {
    const pool = spread.get();
    await spread.destroy();
    const call = new UpstreamCall(new AbortController().signal);
    await expect(call.send(pool, { path: '/', headers: {}, body: 'x' })).rejects.toThrow();
    expect(pool).toMatchObject({ running: 0 });
  });

  it('its pool is destroyed while it waits or runs', async () => {
    const { call } = await ask('/running');
    const pool = spread.get();
    const waiting = new UpstreamCall(new AbortController().signal);
    const sent = waiting.send(pool, { path: '/waiting', headers: {}, body: 'x' });
    expect(pool).toMatchObject({ running: 2 });
    await Promise.all([expect(sent).rejects.toThrow(), spread.destroy()]);
    await until(() => 'running' in pool && pool.running === 0);
    call.close(false);
    expect(pool).toMatchObject({ running: 0 });
  });
});
