import type { EmbeddingsRequest } from '@model-gateway/shared';
import { z } from 'zod';
import { notAsExpected } from '../../../errors/provider-errors.ts';
import { askWritten } from '../../ask-written.ts';
import type { JsonEndpoint } from '../../dialect.ts';
import { JSON_TYPE } from '../../json-body.ts';
import { vectorAs } from '../../vector-as.ts';
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
    const { embeddings: vectors, usageMetadata } = data;
    if (vectors.length !== request.entries)
      throw notAsExpected(new Error('it has not one vector for each text'));
    const counted = usageMetadata?.promptTokenCount;
    return {
      data: vectors.map(({ values }, index) => ({
        object: 'embedding',
        index,
        embedding: vectorAs(values, request),
      })),
      ...(counted === undefined ? {} : { usage: { prompt_tokens: counted } }),
    };
  },
};
