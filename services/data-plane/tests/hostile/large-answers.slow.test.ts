import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { envelopeOf, metricOf, postJson, until, withStarted } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { createAnswerBudget } from '../../src/memory/answer-budget.ts';
import { budgetBounds } from '../../src/memory/budget-bounds.ts';
import { spawnDataPlane } from '../process/data-plane-process.ts';
import { embeddingsOf, startLargeAnswers } from './large-answers.ts';
import { watchMemory } from './resident-memory.ts';

const MB = 1_000_000;
const REQUEST = { model: 'sim/embed-pro', input: ['a'] };
const BUDGET_BYTES = 21 * MB;
const STALL_MS = 15_000;
const MAX_WAIT_MS = 1_000;
const BOUNDS = budgetBounds(BUDGET_BYTES, { part: 1, largestBytes: BUDGET_BYTES, maxWaitMs: MAX_WAIT_MS });
const budget = createAnswerBudget(BOUNDS);

const provider = withStarted(() =>
  startLargeAnswers({
    overrides: { answerBudget: budget, streamTimings: { clientStallMs: STALL_MS } },
  }),
);

/** Sends a request, and reads only the head of its response. */
async function askWithoutReading(): Promise<IncomingMessage> {
  const asking = request(`${provider.gateway.baseUrl}/v1/embeddings`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${provider.rawKey}`, 'content-type': 'application/json' },
  });
  asking.end(JSON.stringify(REQUEST));
  const [answer]: IncomingMessage[] = await once(asking, 'response');
  if (answer === undefined) throw new Error('no answer');
  answer.on('error', () => undefined);
  return answer;
}

const metric = (name: string) => metricOf(provider.gateway.dataPlanes[0], name);

it.each([
  ['announced', true],
  ['unknown', false],
])(
  'responses that together exceed the memory budget wait for each other, and all arrive: size %s',
  async (_how, announced) => {
    provider.answer = embeddingsOf(5 * MB);
    provider.announced = announced;
    let highest = 0;
    const watch = setInterval(() => {
      highest = Math.max(highest, budget.usedBytes);
    }, 1);
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => {
        // On a busy machine a response may wait too long and get 503: the request is then sent again.
        for (;;) {
          const response = await provider.ask('embeddings', REQUEST);
          const body = await response.arrayBuffer();
          if (response.status !== 503) return { status: response.status, bytes: body.byteLength };
        }
      }),
    );
    clearInterval(watch);
    for (const { status, bytes } of answers) {
      expect(status).toBe(200);
      expect(bytes).toBeGreaterThan(4 * MB);
    }
    expect(highest).toBeLessThanOrEqual(BOUNDS.totalBytes + BOUNDS.reserveBytes);
    await until(() => budget.usedBytes === 0 && budget.entries === 0);
  },
);

it('a response that finds no memory gets 503 and is free, and small ones pass', async () => {
  provider.answer = embeddingsOf(16 * MB);
  provider.announced = true;
  const stalled = await askWithoutReading();
  expect(stalled.statusCode).toBe(200);
  expect(await metric('gateway_answer_bytes')).toBeGreaterThan(10 * MB);
  const asking = provider.ask('embeddings', REQUEST);
  await until(async () => (await metric('gateway_waiting_answers')) === 1);
  const refused = await asking;
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(envelopeOf({ body: await refused.text() }).code).toBe('overloaded');
  const id = refused.headers.get('x-request-id') ?? '';
  const line = provider.gateway.logLines(id, '"msg":"request"').at(-1);
  // The provider is not at fault.
  expect(line ?? {}).toMatchObject({ cost_usd: '0.000000000', outcome: 'cut' });
  provider.answer = embeddingsOf(1);
  expect((await provider.ask('embeddings', REQUEST)).status).toBe(200);
  stalled.destroy();
  await until(() => budget.usedBytes === 0 && budget.entries === 0);
});

it('a client that reads little or nothing of a large response is cut off', async () => {
  provider.answer = embeddingsOf(20 * MB);
  await askWithoutReading();
  expect(budget.usedBytes).toBeGreaterThan(10 * MB);
  await until(() => budget.usedBytes === 0);
  const slow = await askWithoutReading();
  let isOver = false;
  slow.once('close', () => {
    isOver = true;
  });
  while (!isOver && budget.usedBytes > 0) {
    slow.read(512);
    await wait(50);
  }
  expect(slow.complete).toBe(false);
  slow.destroy();
});

it('a key with five responses of 41 MB at once gets no more memory than its share', async () => {
  provider.answer = embeddingsOf(41 * MB);
  provider.announced = false;
  const environment = { NODE_OPTIONS: '--max-old-space-size=256' };
  await using plane = await spawnDataPlane(provider.gateway, 1_000, environment);
  const ask = () => postJson(plane.baseUrl, provider.rawKey, 'embeddings', REQUEST);
  await until(async () => {
    const { status, body } = await ask();
    await body?.cancel();
    return status === 200;
  });
  const memory = watchMemory(plane.child.pid ?? 0);
  const statuses = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const response = await ask();
      let text = '';
      for await (const chunk of response.body ?? [])
        if (response.status !== 200) text += Buffer.from(chunk).toString();
      return response.status === 200 ? 'answered' : envelopeOf({ body: text }).code;
    }),
  );
  const roseMb = memory.stop() / MB;
  for (const status of statuses) expect(['answered', 'overloaded']).toContain(status);
  expect(statuses).toContain('answered');
  expect(roseMb).toBeLessThan(300);
});
