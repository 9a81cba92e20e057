import { z } from 'zod';

/**
 * The responses of POST /v1/responses and the routes below it, in OpenAI's form. Responses of providers with
 * that API pass unchanged, so the objects are open, and events of other types may come.
 */

const count = z.int().min(0);

const usage = z.looseObject({
  input_tokens: count.describe('Includes tokens read from a cache.'),
  input_tokens_details: z.looseObject({ cached_tokens: count.nullish() }).nullish(),
  output_tokens: count.describe('Includes reasoning tokens.'),
  output_tokens_details: z.looseObject({ reasoning_tokens: count.nullish() }).nullish(),
  total_tokens: count,
});

const item = z
  .looseObject({ type: z.string(), id: z.string().nullish() })
  .describe('`message`, `reasoning`, `function_call`, `custom_tool_call`, or another type of the provider.');

export const response = z.looseObject({
  id: z.string().describe('Only your account can use it.'),
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
  .describe('Starts at 0 and grows by 1 with each event. Some providers leave it out.');
/** Events that contain the whole response in its current state. The last four end the stream. */
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
    .describe('Any other event, such as `response.output_text.delta` or `response.output_item.done`.'),
]);

export const deletedResponse = z.looseObject({ id: z.string(), deleted: z.literal(true) });

/** A page of the input of a stored response. */
export const responseInputItems = z.looseObject({
  object: z.literal('list'),
  data: z.array(z.looseObject({ type: z.string().nullish() })),
  has_more: z.boolean().nullish(),
});

/** The response of POST /v1/responses/compact. */
export const responseCompaction = z.looseObject({
  id: z.string(),
  object: z.literal('response.compaction'),
  created_at: z.number().describe('Unix seconds.'),
  output: z.array(item).describe('The input for the next request. It has an item of the type `compaction`.'),
  usage: usage.nullish(),
});

/** The response of POST /v1/responses/input_tokens. */
export const responseInputTokens = z.object({
  object: z.literal('response.input_tokens'),
  input_tokens: count,
});
