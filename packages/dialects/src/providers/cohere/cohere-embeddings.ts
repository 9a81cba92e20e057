import type { EmbeddingsRequest } from '@model-gateway/shared';
import type { JsonEndpoint } from '../../interfaces/provider-protocol.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';
import { convertCohereEmbeddingsToOpenAi } from './convert-cohere-embeddings-to-openai.ts';
import { EMBEDDINGS_TO_COHERE } from './embeddings-to-cohere.ts';

/** POST /v2/embed. */
export const cohereEmbeddings: JsonEndpoint<EmbeddingsRequest> = {
  buildRequest: ({ translate }, upstreamModel) =>
    buildTranslatedRequest(
      { path: '/v2/embed', accept: JSON_TYPE },
      translate(upstreamModel, EMBEDDINGS_TO_COHERE),
    ),
  convertResponse: convertCohereEmbeddingsToOpenAi,
};
