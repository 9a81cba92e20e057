import type { EmbeddingsRequest } from '@model-gateway/shared';
import { notExpressible } from '@model-gateway/shared/errors';
import type { JsonEndpoint } from '../../interfaces/provider-protocol.ts';
import { convertCohereEmbeddingsToOpenAi } from '../cohere/convert-cohere-embeddings-to-openai.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';
import { readBedrockInputTokens } from './bedrock-input-tokens.ts';
import { bedrockModelPath } from './bedrock-model-names.ts';
import { convertTitanEmbeddingsToOpenAi, isTitanResponse } from './convert-titan-embeddings-to-openai.ts';
import { EMBEDDINGS_TO_BEDROCK_COHERE } from './embeddings-to-bedrock-cohere.ts';
import { EMBEDDINGS_TO_TITAN } from './embeddings-to-titan.ts';

/** Each family of models has its own body in InvokeModel. */
const FAMILIES = [
  { name: /(?:^|[./])amazon\.titan-embed-text-/, translation: EMBEDDINGS_TO_TITAN },
  { name: /(?:^|[./])cohere\.embed-/, translation: EMBEDDINGS_TO_BEDROCK_COHERE },
];

export const bedrockEmbeddings: JsonEndpoint<EmbeddingsRequest> = {
  buildRequest: ({ body, translate }, upstreamModel) => {
    const family = FAMILIES.find(({ name }) => name.test(upstreamModel));
    if (family === undefined)
      throw notExpressible(body.value.model, 'model', 'is none of the embeddings models known here');
    const head = { path: bedrockModelPath(upstreamModel, 'invoke'), accept: JSON_TYPE };
    return buildTranslatedRequest(head, translate(upstreamModel, family.translation));
  },
  convertResponse: (answer, request, headers) => {
    const counted = readBedrockInputTokens(headers);
    const usage = counted === undefined ? {} : { usage: { prompt_tokens: counted } };
    // The count in the response takes precedence over the header.
    return isTitanResponse(answer)
      ? { ...usage, ...convertTitanEmbeddingsToOpenAi(answer, request) }
      : { ...usage, ...convertCohereEmbeddingsToOpenAi(answer, request) };
  },
};
