import { z } from 'zod';

/** The response of POST /v1/rerank: Cohere's v2 form with Jina's `model` and `usage`. */
export const rerankResult = z.looseObject({
  id: z.string(),
  model: z.string().describe("The gateway's model id, `<provider>/<model_name>`."),
  results: z
    .array(
      z.looseObject({
        index: z.int().min(0).describe('Index of the document in the request.'),
        relevance_score: z.number(),
        document: z.looseObject({ text: z.string() }).optional().describe('Only with `return_documents`.'),
      }),
    )
    .describe('Most relevant first.'),
  meta: z.looseObject({
    api_version: z.looseObject({ version: z.string() }).optional(),
    billed_units: z.looseObject({ search_units: z.int().min(0) }).optional(),
    tokens: z.looseObject({ input_tokens: z.int().min(0).optional() }).optional(),
  }),
  usage: z.looseObject({
    search_units: z.int().min(0).optional(),
    total_tokens: z.int().min(0).optional(),
  }),
});
export type RerankResult = z.infer<typeof rerankResult>;
