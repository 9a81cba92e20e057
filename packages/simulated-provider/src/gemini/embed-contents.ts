import { z } from 'zod';
import { embedText } from '../embeddings/embed-text.ts';
import { ProviderError, refuse } from '../errors/provider-error.ts';

const MODEL = 'sim-gemini-embed';
const DEFAULT_DIMENSIONS = 3_072;
const MAX_REQUESTS = 100;

const batch = z.strictObject({
  requests: z
    .array(
      z.strictObject({
        model: z.string(),
        content: z.strictObject({ parts: z.array(z.strictObject({ text: z.string().min(1) })).min(1) }),
        outputDimensionality: z.int().min(1).max(DEFAULT_DIMENSIONS).optional(),
      }),
    )
    .min(1),
});

/** A vector for each text. As Google does, it counts nothing. @throws ProviderError */
export function embedContents(json: unknown, model: string): object {
  if (model !== MODEL) throw new ProviderError(404, `models/${model} is not found for API version v1beta.`);
  const parsed = batch.safeParse(json);
  if (!parsed.success) return refuse(`Invalid JSON payload received. ${parsed.error.issues[0]?.message}`);
  const { requests } = parsed.data;
  if (requests.length > MAX_REQUESTS)
    refuse('* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch');
  return {
    embeddings: requests.map(({ content, model: named, outputDimensionality }) => {
      if (named !== `models/${model}`) refuse('* BatchEmbedContentsRequest.model: models must be the same');
      const text = content.parts.map((part) => part.text).join('\n');
      return { values: [...embedText(text, outputDimensionality ?? DEFAULT_DIMENSIONS)] };
    }),
  };
}
