import { z } from 'zod';
import { billByHand, finalUsage, type HandPrices } from '../recorded/bill-by-hand.ts';
import type { RecordedCall } from './recording-proxy.ts';

const completionUsage = z.looseObject({
  usage: z.looseObject({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    prompt_tokens_details: z.looseObject({ cached_tokens: z.int() }),
  }),
});

const responseUsage = z.looseObject({
  response: z.looseObject({
    usage: z.looseObject({
      input_tokens: z.int(),
      output_tokens: z.int(),
      input_tokens_details: z.looseObject({ cached_tokens: z.int() }),
    }),
  }),
});

/** Nano-USD for one streamed answer of a provider, from what the provider itself says that it has counted. */
export function billOfCall({ path, answer }: RecordedCall, prices: HandPrices): bigint {
  const events = [...answer.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => data);
  if (path.includes('/messages')) {
    return billByHand(finalUsage({ name: path, model: '', content: { events } }), () => prices);
  }
  if (path.includes('/responses')) {
    const { input_tokens, input_tokens_details, output_tokens } = lastOf(responseUsage, events).response
      .usage;
    const cached = input_tokens_details.cached_tokens;
    return billByHand(
      { input_tokens: input_tokens - cached, cache_read_input_tokens: cached, output_tokens },
      () => prices,
    );
  }
  const { completion_tokens, prompt_tokens, prompt_tokens_details } = lastOf(completionUsage, events).usage;
  return billByHand(
    {
      input_tokens: prompt_tokens - prompt_tokens_details.cached_tokens,
      cache_read_input_tokens: prompt_tokens_details.cached_tokens,
      output_tokens: completion_tokens,
    },
    () => prices,
  );
}

/** The last event of this shape. */
function lastOf<Shape>(shape: z.ZodType<Shape>, events: readonly string[]): Shape {
  const found = events.map((data) => shape.safeParse(JSON.parse(data))).findLast(({ success }) => success);
  if (found?.data === undefined) throw new Error('the provider counted nothing');
  return found.data;
}
