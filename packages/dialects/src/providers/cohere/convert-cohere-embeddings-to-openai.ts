import type { EmbeddingsRequest } from '@model-gateway/shared';
import { z } from 'zod';
import { unexpectedJson } from '../../failures/provider-failures.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { convertVectorsToOpenAi } from '../shared/convert-vectors-to-openai.ts';

const count = z.number().min(0).max(1_000_000_000).transform(Math.ceil);
/** Checked by hand: a response may have a hundred thousand numbers. */
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

export function convertCohereEmbeddingsToOpenAi(value: unknown, request: EmbeddingsRequest): JsonObject {
  const parsed = answer.safeParse(value);
  if (!parsed.success) throw unexpectedJson(parsed.error);
  const { embeddings, meta } = parsed.data;
  return convertVectorsToOpenAi(embeddings.float, meta?.billed_units?.input_tokens ?? undefined, request);
}
