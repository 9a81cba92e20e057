import { z } from 'zod';

/**
 * Responses of POST /v1/messages and the routes below it, in Anthropic's form. Those of providers with that
 * API pass unchanged, so the objects are open, and events of other types may come.
 */

const count = z.int().min(0);

const usage = z.looseObject({
  input_tokens: count.nullish().describe('Without tokens read from or written to a cache.'),
  cache_read_input_tokens: count.nullish(),
  cache_creation_input_tokens: count.nullish(),
  output_tokens: count.nullish().describe('Includes thinking tokens.'),
});

const block = z
  .looseObject({ type: z.string() })
  .describe('`text`, `thinking`, `tool_use`, or another type of the provider.');

const head = {
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string().describe("The gateway's model id, `<provider>/<model_name>`."),
};

export const message = z.looseObject({
  ...head,
  content: z.array(block),
  stop_reason: z
    .string()
    .nullish()
    .describe('`end_turn`, `tool_use`, `max_tokens`, `stop_sequence`, `refusal`, or another.'),
  stop_sequence: z.string().nullish(),
  usage: usage.nullish(),
});

const index = z.int().min(0).describe('Index of the content block.');

const known = [
  z.looseObject({
    type: z.literal('message_start'),
    message: z.looseObject({ ...head, usage: usage.nullish() }),
  }),
  z.looseObject({ type: z.literal('content_block_start'), index, content_block: block }),
  z.looseObject({
    type: z.literal('content_block_delta'),
    index,
    delta: z
      .looseObject({ type: z.string() })
      .describe('`text_delta`, `thinking_delta`, `signature_delta`, `input_json_delta`, or another.'),
  }),
  z.looseObject({ type: z.literal('content_block_stop'), index }),
  z.looseObject({
    type: z.literal('message_delta'),
    delta: z.looseObject({ stop_reason: z.string().nullish(), stop_sequence: z.string().nullish() }),
    usage: usage.nullish().describe('The final usage, which may differ from that of `message_start`.'),
  }),
  z.looseObject({ type: z.literal('message_stop') }),
  z.looseObject({ type: z.literal('ping') }),
] as const;

const KNOWN_TYPES = known.map(({ shape }) => shape.type.value).join('|');

/** One event of the stream. The error event that ends a failed stream is not among these. */
export const messageEvent = z.union([
  ...known,
  z
    .looseObject({ type: z.string().regex(new RegExp(`^(?!(${KNOWN_TYPES}|error)$)`)) })
    .describe('An event of a type that only this provider has.'),
]);

export const tokenCount = z.looseObject({ input_tokens: count });

/** A model as Anthropic's clients know it. */
export const messagesModel = z.object({
  type: z.literal('model'),
  id: z.string().describe('The value for `model` in requests.'),
  display_name: z.string(),
  created_at: z.string().describe('ISO 8601.'),
});

/** A page of GET /v1/models for clients of Anthropic. */
export const messagesModelList = z.object({
  data: z.array(messagesModel),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable().describe('For the next page, send it as `after_id`.'),
});

export type MessagesModel = z.infer<typeof messagesModel>;
export type MessagesModelList = z.infer<typeof messagesModelList>;
