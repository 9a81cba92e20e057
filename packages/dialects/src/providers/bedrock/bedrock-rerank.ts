import type { RerankRequest } from '@model-gateway/shared';
import { z } from 'zod';
import { unexpectedJson } from '../../failures/provider-failures.ts';
import type { JsonEndpoint } from '../../interfaces/provider-protocol.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';
import { readBedrockInputTokens } from './bedrock-input-tokens.ts';
import { bedrockModelPath } from './bedrock-model-names.ts';
import { RERANK_TO_AGENTS, RERANK_TO_INVOKE_MODEL } from './rerank-to-bedrock.ts';

const result = z.union([
  z.looseObject({ index: z.int().min(0), relevance_score: z.number() }),
  z
    .looseObject({ index: z.int().min(0), relevanceScore: z.number() })
    .transform(({ index, relevanceScore }) => ({ index, relevance_score: relevanceScore })),
]);
/** It has no usage: the gateway counts searches. */
const answer = z.looseObject({ results: z.array(result) });

/**
 * A model id goes to InvokeModel of the runtime; an ARN goes to Rerank of the agents' runtime, which has
 * another base URL and requires an ARN.
 */
export const bedrockRerank: JsonEndpoint<RerankRequest> = {
  buildRequest: ({ translate }, upstreamModel) =>
    upstreamModel.startsWith('arn:')
      ? buildTranslatedRequest(
          { path: '/rerank', accept: JSON_TYPE },
          translate(upstreamModel, RERANK_TO_AGENTS),
        )
      : buildTranslatedRequest(
          { path: bedrockModelPath(upstreamModel, 'invoke'), accept: JSON_TYPE },
          translate(upstreamModel, RERANK_TO_INVOKE_MODEL),
        ),
  convertResponse: (value, { documentCount }, headers) => {
    const { data, error } = answer.safeParse(value);
    if (data === undefined) throw unexpectedJson(error);
    const { results } = data;
    if (results.some(({ index }) => index >= documentCount))
      throw unexpectedJson(new Error('it ranks a document that was not sent'));
    const counted = readBedrockInputTokens(headers);
    return {
      results: results.map(({ index, relevance_score }) => ({ index, relevance_score })),
      ...(counted === undefined ? {} : { usage: { total_tokens: counted } }),
    };
  },
};
