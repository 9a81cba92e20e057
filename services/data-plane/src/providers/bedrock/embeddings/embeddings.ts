import type { EmbeddingsRequest } from '@model-gateway/shared';
import { notExpressible } from '@model-gateway/shared/errors';
import { askWritten } from '../../ask-written.ts';
import { openAiEmbeddings } from '../../cohere/answer/embeddings-answer.ts';
import type { JsonEndpoint } from '../../dialect.ts';
import { JSON_TYPE } from '../../json-body.ts';
import { inputTokensIn } from '../input-tokens.ts';
import { modelPath } from '../model-names.ts';
import { BEDROCK_EMBED_FROM_EMBEDDINGS } from './cohere-translation.ts';
import { isTitanAnswer, titanEmbeddings } from './titan-answer.ts';
import { TITAN_FROM_EMBEDDINGS } from './titan-translation.ts';

/** InvokeModel: each family of models has a body of its own there. */
const FAMILIES = [
  { name: /(?:^|[./])amazon\.titan-embed-text-/, translation: TITAN_FROM_EMBEDDINGS },
  { name: /(?:^|[./])cohere\.embed-/, translation: BEDROCK_EMBED_FROM_EMBEDDINGS },
];

export const embeddings: JsonEndpoint<EmbeddingsRequest> = {
  ask: ({ body, written }, upstreamModel) => {
    const family = FAMILIES.find(({ name }) => name.test(upstreamModel));
    if (family === undefined)
      throw notExpressible(body.value.model, 'model', 'is none of the embeddings models known here');
    const asked = { path: modelPath(upstreamModel, 'invoke'), accept: JSON_TYPE };
    return askWritten(asked, written(upstreamModel, family.translation));
  },
  answered: (answer, request, headers) => {
    const counted = inputTokensIn(headers);
    const usage = counted === undefined ? {} : { usage: { prompt_tokens: counted } };
    // What the answer itself counts goes before the header.
    return isTitanAnswer(answer)
      ? { ...usage, ...titanEmbeddings(answer, request) }
      : { ...usage, ...openAiEmbeddings(answer, request) };
  },
};
