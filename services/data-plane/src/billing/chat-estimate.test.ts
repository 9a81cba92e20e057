import { ChatMeter } from '@model-gateway/dialects';
import { chatCompletionsRequest, costOf, priceOf } from '@model-gateway/shared';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textBytes } from '../../../../packages/dialects/src/usage/usage.ts';
import { maxUnitsOfChat } from './max-units.ts';

const price = priceOf({
  input_per_million_usd: '3',
  cached_input_per_million_usd: '0.3',
  output_per_million_usd: '15',
});
const base64 = fc
  .nat(3_000)
  .map((length) => `data:image/png;base64,${Buffer.alloc(length, 0x5a).toString('base64')}`);
const url = fc.webUrl();
const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.string({ maxLength: 200 }) }),
  fc.record({ type: fc.constant('image_url'), image_url: fc.record({ url: fc.oneof(base64, url) }) }),
  fc.record({
    type: fc.constant('input_audio'),
    input_audio: fc.record({ data: base64, format: fc.constant('mp3') }),
  }),
  fc.record({ type: fc.constant('file'), file: fc.record({ file_data: base64 }) }),
  fc.record({ type: fc.string({ minLength: 1, maxLength: 9 }), whatever: fc.jsonValue() }),
);
const message = fc.record({
  role: fc.constantFrom('user', 'system', 'assistant', 'tool'),
  content: fc.oneof(fc.string({ maxLength: 500, unit: 'grapheme' }), fc.array(part, { maxLength: 4 })),
});
const request = fc.record(
  {
    model: fc.constant('acme/small'),
    messages: fc.array(message, { minLength: 1, maxLength: 4 }),
    max_tokens: fc.integer({ min: 1, max: 200 }),
    n: fc.integer({ min: 1, max: 3 }),
    tools: fc.array(
      fc.record({
        type: fc.constant('function'),
        function: fc.record({ name: fc.string(), parameters: fc.jsonValue() }),
      }),
      { maxLength: 3 },
    ),
    response_format: fc.jsonValue(),
    prediction: fc.record({ type: fc.constant('content'), content: fc.string({ maxLength: 300 }) }),
    metadata: fc.jsonValue(),
  },
  { requiredKeys: ['model', 'messages'] },
);
const delta = fc.record(
  {
    content: fc.string({ maxLength: 80, unit: 'grapheme' }),
    reasoning_content: fc.string({ maxLength: 80 }),
  },
  { requiredKeys: [] },
);
/** No count, or one that cannot be true. */
const unbelievable = fc.constantFrom<unknown>(
  undefined,
  null,
  {},
  { prompt_tokens: -1, completion_tokens: 5 },
  { prompt_tokens: 'about 7', completion_tokens: 5 },
  { prompt_tokens: 1, completion_tokens: 1e300 },
  [],
);
const model = fc.record({
  contextLength: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined }),
  maxOutputTokens: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined }),
  mediaPartTokens: fc.integer({ min: 1, max: 50_000 }),
  filePartTokens: fc.integer({ min: 1, max: 50_000 }),
});

describe('a stream whose provider reports no plausible usage', () => {
  it('costs at most the reserved amount and at least what was delivered, wherever it is cut', () => {
    fc.assert(
      fc.property(
        request,
        model,
        fc.array(fc.tuple(delta, unbelievable), { maxLength: 20 }),
        (body, limits, chunks) => {
          const json = Buffer.from(JSON.stringify(body));
          const parsed = chatCompletionsRequest.parse(JSON.parse(json.toString()));
          const { maxUnits: max } = maxUnitsOfChat(parsed, json.length, limits);
          const meter = new ChatMeter([json.subarray(0, 40), json.subarray(40)], {
            max,
            mediaParts: parsed.mediaParts,
            mediaPartTokens: limits.mediaPartTokens,
          });
          let delivered = 0;
          for (const [chunk, usage] of chunks) {
            meter.report(usage);
            meter.deliver([{ delta: chunk }]);
            delivered += textBytes(chunk);
            const usageSoFar = meter.usage(false);
            if (delivered === 0) {
              expect(usageSoFar).toBeUndefined();
              continue;
            }
            if (usageSoFar === undefined) throw new Error('something was delivered');
            expect(costOf(usageSoFar, price)).toBeLessThanOrEqual(costOf(max, price));
            expect(usageSoFar.outputTokens).toBe(Math.min(Math.ceil(delivered / 4), max.outputTokens));
            const media = Math.min(parsed.mediaParts * limits.mediaPartTokens, max.inputTokens);
            expect(usageSoFar.inputTokens).toBeGreaterThanOrEqual(media);
          }
          const whole = meter.usage(true);
          expect(whole && costOf(whole, price)).toBeLessThanOrEqual(costOf(max, price));
        },
      ),
      { numRuns: 300 },
    );
  });
});
