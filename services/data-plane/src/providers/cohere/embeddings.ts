import type { EmbeddingsRequest } from '@model-gateway/shared';
import { askWritten } from '../ask-written.ts';
import type { JsonEndpoint } from '../dialect.ts';
import { JSON_TYPE } from '../json-body.ts';
import { openAiEmbeddings } from './answer/embeddings-answer.ts';
import { COHERE_EMBED_FROM_EMBEDDINGS } from './request/embed-translation.ts';

/** POST /v2/embed, as OpenAI's embeddings are asked for. */
export const embeddings: JsonEndpoint<EmbeddingsRequest> = {
  ask: ({ written }, upstreamModel) =>
    askWritten(
      { path: '/v2/embed', accept: JSON_TYPE },
      written(upstreamModel, COHERE_EMBED_FROM_EMBEDDINGS),
    ),
  answered: openAiEmbeddings,
};
