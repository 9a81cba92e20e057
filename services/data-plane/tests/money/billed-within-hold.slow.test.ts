import { chatBody, usageOf, withGateway } from '@model-gateway/test-kit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { wavOf } from '../endpoints/wav.ts';
import { withoutBreakers } from '../providers/without-breakers.ts';
import { expectLedgerAgrees, payingKey } from './money-fixture.ts';

let rawKey: string;

const gateway = withGateway({
  ownPools: true,
  overrides: withoutBreakers(),
});
beforeAll(async () => {
  ({ rawKey } = await payingKey(gateway, '1000'));
});
afterAll(async () => {
  await expectLedgerAgrees(gateway);
});

const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${'QUJD'.repeat(5_000)}` } };
const messages = [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, picture] }];
const REQUESTS: readonly [path: string, body: Record<string, unknown>][] = [
  ['chat/completions', { model: 'sim/chat-pro', messages, max_tokens: 30, stream: true }],
  ['chat/completions', { model: 'sim/chat-pro', messages, max_tokens: 30, n: 3 }],
  ['chat/completions', chatBody({ model: 'sim/chat-pro', stream: true })],
  ['embeddings', { model: 'sim/embed-pro', input: ['a lighthouse', 'é'.repeat(500)] }],
  ['embeddings', { model: 'sim/embed-pro', input: [1, 2, 3, 4] }],
  ['rerank', { model: 'sim/rerank-pro', query: 'light', documents: Array(150).fill('a house') }],
  ['images/generations', { model: 'sim/image-pro', prompt: 'a lighthouse', n: 3 }],
  ['images/generations', { model: 'sim/image-pro', prompt: 'a house', stream: true, partial_images: 3 }],
  ['audio/speech', { model: 'sim/speech-pro', input: 'Hello 👋 there', voice: 'alloy' }],
  ['audio/speech', { model: 'sim/speech-pro', input: 'Hello', voice: 'alloy', stream_format: 'sse' }],
  ['audio/transcriptions', transcription({})],
  ['audio/transcriptions', transcription({ stream: true })],
  ['audio/transcriptions', transcription({ response_format: 'text' })],
];

function transcription(more: object) {
  const file = { data: wavOf(1.5).toString('base64'), filename: 'a.wav' };
  return { model: 'sim/transcribe-pro', file, ...more };
}

/** @returns the bytes received and the request id, or undefined when the client left before the headers */
async function send(path: string, body: object, leavesAfterBytes: number) {
  const abort = new AbortController();
  let bytes = 0;
  try {
    const response = await gateway.post(path, body, { key: rawKey, signal: abort.signal });
    const id = response.headers.get('x-request-id') ?? '';
    try {
      for await (const chunk of response.body ?? []) {
        bytes += chunk.length;
        if (bytes >= leavesAfterBytes) abort.abort();
      }
    } catch {
      // Left, or broken off.
    }
    return { id, bytes, status: response.status };
  } catch {
    return undefined;
  }
}

it('a request never costs more than its reservation, whatever its provider counts and whenever its client leaves', async () => {
  const plan = fc.record({
    request: fc.constantFrom(...REQUESTS),
    usage: fc.constantFrom(undefined, 'missing' as const, 'absurd' as const, 'worded' as const),
    leavesAfterBytes: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 1, max: 4_000 })),
    breaksAfterEvents: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ request, usage, leavesAfterBytes, breaksAfterEvents }) => {
      const [path, body] = request;
      const simulate = {
        token_delay_ms: 2,
        ...(usage === undefined ? {} : { usage }),
        ...(breaksAfterEvents === undefined ? {} : { truncate: { after_events: breaksAfterEvents } }),
      };
      const answer = await send(path, { ...body, simulate }, leavesAfterBytes);
      if (answer === undefined) return;
      const row = await usageOf(gateway.books, answer.id);
      const [cost, held] = [BigInt(String(row.cost)), BigInt(String(row.held))];
      expect(held).toBeGreaterThan(0n);
      expect(cost, `${path} ${row.billing_reason}`).toBeLessThanOrEqual(held);
      expect(row.uncollected).toBe(0n);
      if (row.billing_reason === 'completed' || row.billing_reason === 'estimated') {
        expect(cost).toBeGreaterThan(0n);
      }
      if (answer.status !== 200) expect(cost).toBe(0n);
    }),
    { numRuns: 60 },
  );
});
