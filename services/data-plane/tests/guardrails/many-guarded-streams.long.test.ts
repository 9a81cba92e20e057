import { describe, expect, it } from 'vitest';
import { eventsOf, PATHS, requestOf, withGuardedGateway, withServer } from './guarded-gateway.ts';

const STREAMS = 1_000;
const SENTENCES = 8;
/** About as fast as models write. */
const SENTENCE_MS = 1_000;
const GUARD_MS = 50;
const provider = withServer();
const guard = withServer();
const gateway = withGuardedGateway(provider, () => [
  { id: 'service', kind: 'http', url: `${guard.url}/check`, deadline_ms: 30_000 },
]);

/** Reads a stream and returns the time of each of its events with text, from its start. */
async function textTimes(model: string, key: string): Promise<number[]> {
  const startedAtMs = performance.now();
  const response = await gateway.post(PATHS.chat, requestOf('chat', { model, stream: true }), { key });
  expect(response.status).toBe(200);
  const times: number[] = [];
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines)
      if (line.includes('Sentence number')) times.push(performance.now() - startedAtMs);
  }
  expect(times.length).toBe(SENTENCES);
  return times;
}

const median = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

describe('1,000 streams with a guardrail that takes 50 ms', () => {
  it('take bounded memory, and each sentence waits little longer than its check', {
    timeout: 300_000,
  }, async () => {
    const pieces = Array.from(
      { length: SENTENCES },
      (_, index) => `Sentence number ${index} has more characters than a guardrail holds back by default. `,
    );
    const events = eventsOf('chat', 'text', pieces)
      .split('\n\n')
      .map((event) => `${event}\n\n`);
    provider.answer((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const left = [...events];
      const send = () => {
        const next = left.shift();
        if (next === undefined || next === '\n\n') return void res.end();
        res.write(next);
        setTimeout(send, next.includes('Sentence') ? SENTENCE_MS : 0);
      };
      send();
    });
    let running = 0;
    let mostRunning = 0;
    guard.answer((_req, res) => {
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      setTimeout(() => {
        running -= 1;
        res.end('{"action":"NONE"}');
      }, GUARD_MS);
    });
    const keys = await Promise.all(Array.from({ length: 20 }, () => gateway.createKey()));
    const measure = async (model: string) => {
      global.gc?.();
      const before = process.memoryUsage().rss;
      let highest = before;
      const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 50);
      const all = await Promise.all(
        Array.from({ length: STREAMS }, (_, index) =>
          textTimes(model, keys[index % keys.length]?.rawKey ?? ''),
        ),
      );
      clearInterval(watch);
      return {
        first: median(all.map(([first = 0]) => first)),
        last: median(all.map((times) => times.at(-1) ?? 0)),
        mib: (highest - before) / 2 ** 20,
      };
    };
    await measure('chat/free');
    const plain = await measure('chat/free');
    const checked = await measure('chat/checked');
    const figures = { plain, checked, mostRunning, checks: guard.bodies.length };
    process.stderr.write(`guarded streams: ${JSON.stringify(figures)}\n`);
    expect(mostRunning).toBeLessThanOrEqual(256);
    // All three parties share one process here; the gateway alone needs less.
    expect(checked.mib).toBeLessThan(800);
    expect(checked.last - plain.last).toBeLessThan(20_000);
  });
});
