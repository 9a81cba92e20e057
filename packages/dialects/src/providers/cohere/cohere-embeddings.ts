import type { EmbeddingsRequest } from '@model-gateway/shared';
import type { JsonEndpoint } from '../../contract/provider-protocol.ts';
import { translatedRequest } from '../shared/translated-request.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';
import { convertCohereEmbeddings } from './convert-cohere-embeddings.ts';
import { EMBEDDINGS_TO_COHERE } from './embeddings-to-cohere.ts';

/** POST /v2/embed, as OpenAI's embeddings are asked for. */
export const cohereEmbeddings: JsonEndpoint<EmbeddingsRequest> = {
  ask: ({ written }, upstreamModel) =>
    translatedRequest({ path: '/v2/embed', accept: JSON_TYPE }, written(upstreamModel, EMBEDDINGS_TO_COHERE)),
  answered: convertCohereEmbeddings,
};
