import type { EmbeddingsRequest } from '@model-gateway/shared';
import { z } from 'zod';
import { unexpectedJson } from '../../failures/provider-failures.ts';
import type { JsonEndpoint } from '../../interfaces/provider-protocol.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { convertVectorsToOpenAi } from '../shared/convert-vectors-to-openai.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';
import { EMBEDDINGS_TO_VERTEX, isVertexContentModel } from './embeddings-to-vertex.ts';
import { vertexModelPath } from './vertex-model-path.ts';

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

/** Newer models have `embedContent` instead of `predict`. */
export const vertexEmbeddings: JsonEndpoint<EmbeddingsRequest> = {
  buildRequest: ({ translate }, upstreamModel) =>
    buildTranslatedRequest(
      {
        path: vertexModelPath(
          upstreamModel,
          isVertexContentModel(upstreamModel) ? 'embedContent' : 'predict',
        ),
        accept: JSON_TYPE,
      },
      translate(upstreamModel, EMBEDDINGS_TO_VERTEX),
    ),
  convertResponse: (value, request) => {
    const one = embedded.safeParse(value).data;
    if (one !== undefined)
      return convertVectorsToOpenAi([one.embedding.values], one.usageMetadata?.promptTokenCount, request);
    const { data, error } = predicted.safeParse(value);
    if (data === undefined) throw unexpectedJson(error);
    const all = data.predictions.map((prediction) => prediction.embeddings);
    const vectors = all.map((prediction) => prediction.values);
    return convertVectorsToOpenAi(
      vectors,
      sumOf(all.map(({ statistics }) => statistics?.token_count)),
      request,
    );
  },
};

/** @returns undefined if a count is missing */
function sumOf(counts: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const count of counts) {
    if (count === undefined) return undefined;
    sum += count;
  }
  return sum;
}
