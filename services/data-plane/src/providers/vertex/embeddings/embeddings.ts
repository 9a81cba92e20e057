import type { EmbeddingsRequest } from '@model-gateway/shared';
import { z } from 'zod';
import { notAsExpected } from '../../../failures/provider-failures.ts';
import { askWritten } from '../../ask-written.ts';
import type { JsonEndpoint } from '../../dialect.ts';
import { JSON_TYPE } from '../../json-body.ts';
import { toldVectors } from '../../told-vectors.ts';
import { modelPath } from '../model-path.ts';
import { takesContent, VERTEX_EMBEDDINGS } from './embeddings-translation.ts';

const values = z.array(z.number()).min(1);
const tokens = z.int().min(0);

const predicted = z.looseObject({
  predictions: z
    .array(
      z.looseObject({
        embeddings: z.looseObject({
          values,
          statistics: z.looseObject({ token_count: tokens }).nullish().catch(null),
        }),
      }),
    )
    .min(1),
});
const embedded = z.looseObject({
  embedding: z.looseObject({ values }),
  usageMetadata: z.looseObject({ promptTokenCount: tokens }).nullish().catch(null),
});

/** `predict`; of newer models `embedContent`. */
export const embeddings: JsonEndpoint<EmbeddingsRequest> = {
  ask: ({ written }, upstreamModel) =>
    askWritten(
      {
        path: modelPath(upstreamModel, takesContent(upstreamModel) ? 'embedContent' : 'predict'),
        accept: JSON_TYPE,
      },
      written(upstreamModel, VERTEX_EMBEDDINGS),
    ),
  answered: (value, request) => {
    const one = embedded.safeParse(value).data;
    if (one !== undefined)
      return toldVectors([one.embedding.values], one.usageMetadata?.promptTokenCount, request);
    const { data, error } = predicted.safeParse(value);
    if (data === undefined) throw notAsExpected(error);
    const all = data.predictions.map((prediction) => prediction.embeddings);
    const vectors = all.map((prediction) => prediction.values);
    return toldVectors(vectors, sumOf(all.map(({ statistics }) => statistics?.token_count)), request);
  },
};

/** @returns undefined where one of them was not counted */
function sumOf(counts: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const count of counts) {
    if (count === undefined) return undefined;
    sum += count;
  }
  return sum;
}
