import type { EmbeddingsRequest } from '@model-gateway/shared';
import { notExpressible } from '@model-gateway/shared/errors';
import { translatedRequest } from '../../ask-written.ts';
import { convertCohereEmbeddings } from '../../cohere/answer/embeddings-answer.ts';
import type { JsonEndpoint } from '../../dialect.ts';
import { JSON_TYPE } from '../../json-body.ts';
import { readBedrockInputTokens } from '../input-tokens.ts';
import { bedrockModelPath } from '../model-names.ts';
import { EMBEDDINGS_TO_BEDROCK_COHERE } from './cohere-translation.ts';
import { convertTitanEmbeddings, isTitanResponse } from './titan-answer.ts';
import { EMBEDDINGS_TO_TITAN } from './titan-translation.ts';

/** InvokeModel: each family of models has a body of its own there. */
const FAMILIES = [
  { name: /(?:^|[./])amazon\.titan-embed-text-/, translation: EMBEDDINGS_TO_TITAN },
  { name: /(?:^|[./])cohere\.embed-/, translation: EMBEDDINGS_TO_BEDROCK_COHERE },
];

export const bedrockEmbeddings: JsonEndpoint<EmbeddingsRequest> = {
  ask: ({ body, written }, upstreamModel) => {
    const family = FAMILIES.find(({ name }) => name.test(upstreamModel));
    if (family === undefined)
      throw notExpressible(body.value.model, 'model', 'is none of the embeddings models known here');
    const asked = { path: bedrockModelPath(upstreamModel, 'invoke'), accept: JSON_TYPE };
    return translatedRequest(asked, written(upstreamModel, family.translation));
  },
  answered: (answer, request, headers) => {
    const counted = readBedrockInputTokens(headers);
    const usage = counted === undefined ? {} : { usage: { prompt_tokens: counted } };
    // What the answer itself counts goes before the header.
    return isTitanResponse(answer)
      ? { ...usage, ...convertTitanEmbeddings(answer, request) }
      : { ...usage, ...convertCohereEmbeddings(answer, request) };
  },
};
