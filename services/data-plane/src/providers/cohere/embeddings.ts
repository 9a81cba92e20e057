import type { EmbeddingsRequest } from '@model-gateway/shared';
import { translatedRequest } from '../ask-written.ts';
import type { JsonEndpoint } from '../dialect.ts';
import { JSON_TYPE } from '../json-body.ts';
import { convertCohereEmbeddings } from './answer/embeddings-answer.ts';
import { EMBEDDINGS_TO_COHERE } from './request/embed-translation.ts';

/** POST /v2/embed, as OpenAI's embeddings are asked for. */
export const cohereEmbeddings: JsonEndpoint<EmbeddingsRequest> = {
  ask: ({ written }, upstreamModel) =>
    translatedRequest({ path: '/v2/embed', accept: JSON_TYPE }, written(upstreamModel, EMBEDDINGS_TO_COHERE)),
  answered: convertCohereEmbeddings,
};
