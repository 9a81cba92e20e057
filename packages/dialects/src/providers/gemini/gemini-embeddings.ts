import type { EmbeddingsRequest } from '@model-gateway/shared';
import { z } from 'zod';
import { unexpectedJson } from '../../failures/provider-failures.ts';
import type { JsonEndpoint } from '../../interfaces/provider-protocol.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { convertVectorsToOpenAi } from '../shared/convert-vectors-to-openai.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';
import { EMBEDDINGS_TO_GEMINI } from './embeddings-to-gemini.ts';
import { geminiModelPath } from './gemini-model-path.ts';

const answer = z.looseObject({
  embeddings: z.array(z.looseObject({ values: z.array(z.number()).min(1) })).min(1),
  usageMetadata: z
    .looseObject({ promptTokenCount: z.int().min(0) })
    .nullish()
    .catch(null),
});

/** batchEmbedContents. Most models send no count of tokens. */
export const geminiEmbeddings: JsonEndpoint<EmbeddingsRequest> = {
  buildRequest: ({ translate }, upstreamModel) =>
    buildTranslatedRequest(
      { path: geminiModelPath(upstreamModel, 'batchEmbedContents'), accept: JSON_TYPE },
      translate(upstreamModel, EMBEDDINGS_TO_GEMINI),
    ),
  convertResponse: (value, request) => {
    const { data, error } = answer.safeParse(value);
    if (data === undefined) throw unexpectedJson(error);
    const vectors = data.embeddings.map(({ values }) => values);
    return convertVectorsToOpenAi(vectors, data.usageMetadata?.promptTokenCount, request);
  },
};
