import { z } from 'zod';
import { chatUsage } from '../chat-completions.ts';

/**
 * Responses of POST /v1/chat/completions, in OpenAI's form. Further fields of a provider pass unchanged, so
 * the objects are open.
 */

const answered = z.looseObject({
  id: z.string(),
  created: z.int().describe('Unix seconds.'),
  model: z.string().describe("The gateway's model id, `<provider>/<model_name>`."),
});

/** A model's reasoning, in fields that OpenAI's API does not have. */
const reasoning = {
  reasoning_content: z.string().nullish().describe('The reasoning as text.'),
  reasoning_details: z
    .array(
      z.looseObject({
        type: z.string(),
        text: z.string().nullish(),
        data: z.string().nullish().describe('Reasoning that the provider encrypted, instead of `text`.'),
        signature: z.string().nullish(),
        id: z.string().nullish(),
        format: z.string().nullish(),
      }),
    )
    .nullish()
    .describe(
      'The reasoning in parts. Send them back unchanged with this message: providers check the signatures.',
    ),
};

const toolCall = z.looseObject({ id: z.string(), type: z.string() });

export const chatCompletion = answered.extend({
  object: z.literal('chat.completion'),
  choices: z.array(
    z.looseObject({
      index: z.int().min(0),
      message: z.looseObject({
        role: z.literal('assistant'),
        content: z.string().nullish(),
        ...reasoning,
        refusal: z.string().nullish(),
        tool_calls: z.array(toolCall).nullish(),
      }),
      finish_reason: z.string().nullable(),
    }),
  ),
  usage: chatUsage.nullish(),
});
export type ChatCompletion = z.infer<typeof chatCompletion>;

/** One event of the stream. The one with `usage` has no choices, and comes only on request. */
export const chatCompletionChunk = answered.extend({
  object: z.literal('chat.completion.chunk'),
  choices: z.array(
    z.looseObject({
      index: z.int().min(0),
      delta: z.looseObject({
        role: z.string().nullish(),
        content: z.string().nullish(),
        ...reasoning,
        tool_calls: z.array(z.looseObject({ index: z.int().min(0) })).nullish(),
      }),
      finish_reason: z.string().nullish(),
    }),
  ),
  usage: chatUsage.nullish(),
});
export type ChatCompletionChunk = z.infer<typeof chatCompletionChunk>;
