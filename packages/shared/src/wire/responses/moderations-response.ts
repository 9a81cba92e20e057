import { z } from 'zod';

/** The response of POST /v1/moderations, in OpenAI's form. */
export const moderationList = z.looseObject({
  id: z.string().optional(),
  model: z.string().describe("The gateway's model id, `<provider>/<model_name>`."),
  results: z
    .array(
      z.looseObject({
        flagged: z.boolean().optional().describe('True if a category applies. Not every provider sends it.'),
        categories: z.record(z.string(), z.boolean().nullable()),
        category_scores: z.record(z.string(), z.number().nullable()),
      }),
    )
    .min(1)
    .describe('One for each text of a list; one in all for a list of parts.'),
});
export type ModerationList = z.infer<typeof moderationList>;
