import { z } from 'zod';

/** The response of POST /v1/embeddings, in OpenAI's form. */
export const embeddingList = z.looseObject({
  object: z.literal('list'),
  model: z.string().describe("The gateway's model id, `<provider>/<model_name>`."),
  data: z.array(
    z.looseObject({
      object: z.literal('embedding'),
      index: z.int().min(0),
      embedding: z
        .union([z.array(z.number()), z.string()])
        .describe('Numbers, or base64 of little-endian 32-bit floats if `encoding_format` is `base64`.'),
    }),
  ),
  usage: z.looseObject({ prompt_tokens: z.int().min(0), total_tokens: z.int().min(0) }).optional(),
});
export type EmbeddingList = z.infer<typeof embeddingList>;
