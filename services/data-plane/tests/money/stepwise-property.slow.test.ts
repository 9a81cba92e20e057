import { withGateway } from '@model-gateway/test-kit';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { withoutBreakers } from '../providers/without-breakers.ts';
import { expectLedgerAgrees, nano, payingKey, usd } from './money-fixture.ts';
import { MODELS, PATHS, STREAMS, stepwiseCatalog } from './stepwise-catalog.ts';

const gateway = withGateway({ ownPools: true, document: stepwiseCatalog, overrides: withoutBreakers() });
afterAll(() => expectLedgerAgrees(gateway));

const output = fc.record({
  text: fc.constantFrom('word ', '7', '漢字', '{"a":1}', 'Ünïcödé '),
  times: fc.integer({ min: 1, max: 9_000 }),
});
const request = fc.record({
  path: fc.constantFrom(...PATHS),
  model: fc.constantFrom(...MODELS),
  prompt: fc.integer({ min: 1, max: 2_000 }),
  stream: fc.constantFrom(true, true, true, false),
  output,
  fault: fc.constantFrom(
    {},
    {},
    { usage: 'missing' as const },
    { truncate: { after_events: 200 } },
    { reset: { after_events: 50 } },
    { reasoning_tokens: 3_000 },
  ),
  leavesAfterBytes: fc.option(fc.integer({ min: 1, max: 200_000 }), { freq: 4, nil: undefined }),
});

/** Sends a request and reads its response, perhaps not to the end. @returns the response if there is one */
async function send(rawKey: string, asked: typeof request extends fc.Arbitrary<infer One> ? One : never) {
  const { leavesAfterBytes = Number.POSITIVE_INFINITY, model, path, prompt, stream } = asked;
  const question = [{ role: 'user', content: 'Tell me more. '.repeat(prompt) }];
  const input = path === 'responses' ? { input: question } : { messages: question };
  const abort = new AbortController();
  try {
    const body = { ...STREAMS[path].body, ...input, model, stream };
    const response = await gateway.post(path, body, { key: rawKey, signal: abort.signal });
    let bytes = 0;
    try {
      for await (const chunk of response.body ?? []) {
        bytes += chunk.length;
        if (bytes >= leavesAfterBytes) abort.abort();
      }
    } catch {
      // The caller left, or the stream broke off.
    }
    return response;
  } catch {
    return undefined;
  }
}

it('requests of random sizes never overdraw their pool, also if callers leave or a hold cannot grow', async () => {
  const plan = fc.record({
    microUsd: fc.integer({ min: 3_000, max: 120_000 }),
    requests: fc.array(request, { minLength: 1, maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ microUsd, requests }) => {
      const pool = usd(BigInt(microUsd) * 1_000n);
      const { account, rawKey } = await payingKey(gateway, pool);
      for (const {
        fault,
        output: { text, times },
      } of requests)
        gateway.provider.script({ content: text.repeat(times), ...fault });
      const responses = await Promise.all(requests.map((one) => send(rawKey, one)));
      let overruns = 0n;
      let uncollected = 0n;
      for (const response of responses) {
        if (response === undefined || response.status === 402) continue;
        const row = await gateway.recordOf(response);
        const [cost, held] = [BigInt(String(row.cost)), BigInt(String(row.held))];
        if (row.usage_source === 'estimated') expect(cost).toBeLessThanOrEqual(held);
        overruns += cost > held ? cost - held : 0n;
        uncollected += BigInt(String(row.uncollected));
        expect(held).toBeLessThanOrEqual(nano(pool));
      }
      // A request that exceeds its hold may use money of a concurrent one, whose cost then stays uncollected.
      expect(uncollected).toBeLessThanOrEqual(overruns);
      const [sums] = await gateway.books.query(
        `SELECT coalesce(sum(charged), 0)::bigint AS charged FROM usage_records WHERE account_id = $1`,
        [account],
      );
      expect(BigInt(String(sums?.charged))).toBeLessThanOrEqual(nano(pool));
      gateway.provider.clear();
    }),
    { numRuns: 20 },
  );
});
