import type { EmbeddingsRequest } from '@model-gateway/shared';
import { z } from 'zod';
import { notAsExpected } from '../../../errors/provider-errors.ts';
import type { JsonObject } from '../../../translation/json-object.ts';

const count = z.number().min(0).max(1_000_000_000).transform(Math.ceil);
/** Vectors are checked by hand: there may be a hundred thousand numbers in them. */
const vectors = z.custom<number[][]>(
  (value) =>
    Array.isArray(value) &&
    value.every((vector) => Array.isArray(vector) && vector.every((entry) => typeof entry === 'number')),
);
const answer = z.looseObject({
  embeddings: z.looseObject({ float: vectors }),
  meta: z
    .looseObject({ billed_units: z.looseObject({ input_tokens: count.nullish() }).nullish().catch(null) })
    .nullish()
    .catch(null),
});

/**
 * Cohere's vectors in OpenAI's shape.
 * @throws GatewayError 502 for what has not one vector for each text
 */
export function openAiEmbeddings(value: unknown, { entries, isBase64 }: EmbeddingsRequest): JsonObject {
  const parsed = answer.safeParse(value);
  if (!parsed.success) throw notAsExpected(parsed.error);
  const { embeddings, meta } = parsed.data;
  if (embeddings.float.length !== entries) {
    throw notAsExpected(new Error(`it has ${embeddings.float.length} vectors for ${entries} texts`));
  }
  const tokens = meta?.billed_units?.input_tokens ?? undefined;
  return {
    data: embeddings.float.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: isBase64 ? base64(vector) : vector,
    })),
    ...(tokens === undefined ? {} : { usage: { prompt_tokens: tokens } }),
  };
}

/** As OpenAI writes it: numbers of 32 bits, the lowest byte first. */
function base64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, number] of vector.entries()) bytes.writeFloatLE(number, index * 4);
  return bytes.toString('base64');
}
