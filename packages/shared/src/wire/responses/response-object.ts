import { z } from 'zod';

/**
 * The answers of POST /v1/responses and the routes below it, in OpenAI's form. Responses of providers with
 * that API pass unchanged, so the objects are open, and events of other types may come.
 */

const count = z.int().min(0);

const usage = z.looseObject({
  input_tokens: count.describe('With those that were read from a cache.'),
  input_tokens_details: z.looseObject({ cached_tokens: count.nullish() }).nullish(),
  output_tokens: count.describe('With the tokens of reasoning.'),
  output_tokens_details: z.looseObject({ reasoning_tokens: count.nullish() }).nullish(),
  total_tokens: count,
});

const item = z
  .looseObject({ type: z.string(), id: z.string().nullish() })
  .describe('`message`, `reasoning`, `function_call`, `custom_tool_call`, or another that the provider has.');

export const response = z.looseObject({
  id: z.string().describe('Another account cannot use it.'),
  object: z.literal('response'),
  created_at: z.number().describe('Unix seconds.'),
  model: z.string().describe("The gateway's model id, `<provider>/<model_name>`."),
  status: z
    .string()
    .nullish()
    .describe('`completed`, `incomplete`, `failed`, `in_progress`, `queued` or `cancelled`.'),
  output: z.array(item),
  error: z.looseObject({ code: z.string().nullish(), message: z.string().nullish() }).nullish(),
  incomplete_details: z
    .looseObject({
      reason: z.string().nullish().describe('`max_output_tokens`, `content_filter`, or another.'),
    })
    .nullish(),
  usage: usage.nullish(),
});

const sequence_number = count
  .nullish()
  .describe('From 0, one more with each event. Some providers leave it out.');
/** The events with the whole response at that moment. The last four end the stream. */
const WITH_RESPONSE = [
  'created',
  'queued',
  'in_progress',
  'completed',
  'incomplete',
  'cancelled',
  'failed',
] as const;

export const responseEvent = z.union([
  z.looseObject({
    type: z.enum(WITH_RESPONSE.map((name) => `response.${name}`)),
    sequence_number,
    response,
  }),
  z
    .looseObject({
      type: z.string().regex(new RegExp(`^(?!response\\.(${WITH_RESPONSE.join('|')})$)`)),
      sequence_number,
    })
    .describe('`response.output_text.delta`, `response.output_item.done`, and all others.'),
]);

export const deletedResponse = z.looseObject({ id: z.string(), deleted: z.literal(true) });

/** A page of the input of a stored response. */
export const responseInputItems = z.looseObject({
  object: z.literal('list'),
  data: z.array(z.looseObject({ type: z.string().nullish() })),
  has_more: z.boolean().nullish(),
});

/** The answer of POST /v1/responses/compact. */
export const responseCompaction = z.looseObject({
  id: z.string(),
  object: z.literal('response.compaction'),
  created_at: z.number().describe('Unix seconds.'),
  output: z.array(item).describe('The input of the next request, with an item of the type `compaction`.'),
  usage: usage.nullish(),
});

/** The answer of POST /v1/responses/input_tokens. */
export const responseInputTokens = z.object({
  object: z.literal('response.input_tokens'),
  input_tokens: count,
});
