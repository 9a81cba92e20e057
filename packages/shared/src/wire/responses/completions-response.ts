import { z } from 'zod';
import { chatUsage } from '../chat-completions.ts';

/** The response of POST /v1/completions, and one event of its stream, in OpenAI's form. */
export const textCompletion = z.looseObject({
  id: z.string(),
  object: z.literal('text_completion'),
  created: z.int().describe('Unix seconds.'),
  model: z.string().describe("The gateway's model id, `<provider>/<model_name>`."),
  choices: z
    .array(
      z.looseObject({
        index: z.int().min(0).describe('The `n` choices of the first prompt come first.'),
        text: z.string(),
        finish_reason: z.string().nullish(),
      }),
    )
    .describe('In a stream, the event with `usage` has none.'),
  usage: chatUsage.nullish(),
});
