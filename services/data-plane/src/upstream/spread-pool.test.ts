import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { until } from '@model-gateway/test-kit/until';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SpreadPool } from './spread-pool.ts';
import type { UpstreamAnswer } from './upstream-answer.ts';
import { UpstreamCall } from './upstream-call.ts';

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

it('many calls at once are spread over small pools, and one whose calls end takes calls again', async () => {
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
