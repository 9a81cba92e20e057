import type { EmbeddingsRequest } from '@model-gateway/shared';
import { z } from 'zod';
import { notAsExpected } from '../../../failures/provider-failures.ts';
import { askWritten } from '../../ask-written.ts';
import type { JsonEndpoint } from '../../dialect.ts';
import { JSON_TYPE } from '../../json-body.ts';
import { toldVectors } from '../../told-vectors.ts';
import { modelPath } from '../model-path.ts';
import { CONTENT_BATCH_FROM_EMBEDDINGS } from './embeddings-translation.ts';

const answer = z.looseObject({
  embeddings: z.array(z.looseObject({ values: z.array(z.number()).min(1) })).min(1),
  usageMetadata: z
    .looseObject({ promptTokenCount: z.int().min(0) })
    .nullish()
    .catch(null),
});

/** batchEmbedContents: a vector for each text, most of them without a count of tokens. */
export const embeddings: JsonEndpoint<EmbeddingsRequest> = {
  ask: ({ written }, upstreamModel) =>
    askWritten(
      { path: modelPath(upstreamModel, 'batchEmbedContents'), accept: JSON_TYPE },
      written(upstreamModel, CONTENT_BATCH_FROM_EMBEDDINGS),
    ),
  answered: (value, request) => {
    const { data, error } = answer.safeParse(value);
    if (data === undefined) throw notAsExpected(error);
    const vectors = data.embeddings.map(({ values }) => values);
    return toldVectors(vectors, data.usageMetadata?.promptTokenCount, request);
  },
};
