import type { RerankRequest } from '@model-gateway/shared';
import { z } from 'zod';
import { notAsExpected } from '../../../failures/provider-failures.ts';
import { askWritten } from '../../ask-written.ts';
import type { JsonEndpoint } from '../../dialect.ts';
import { JSON_TYPE } from '../../json-body.ts';
import { inputTokensIn } from '../input-tokens.ts';
import { modelPath } from '../model-names.ts';
import { INVOKED_RERANK, RERANK_OF_AGENTS } from './rerank-translations.ts';

/** Of InvokeModel, or of Rerank. */
const result = z.union([
  z.looseObject({ index: z.int().min(0), relevance_score: z.number() }),
  z
    .looseObject({ index: z.int().min(0), relevanceScore: z.number() })
    .transform(({ index, relevanceScore }) => ({ index, relevance_score: relevanceScore })),
]);
/** There is no usage in it: searches are counted by the gateway. */
const answer = z.looseObject({ results: z.array(result) });

/**
 * Rerank, in one of two ways. A model that is named by its id is asked by InvokeModel, like all others of the
 * runtime. Rerank is an operation of another address, that of the agents' runtime, and wants the ARN of the
 * model: one that is named so is asked there.
 */
export const rerank: JsonEndpoint<RerankRequest> = {
  ask: ({ written }, upstreamModel) =>
    upstreamModel.startsWith('arn:')
      ? askWritten({ path: '/rerank', accept: JSON_TYPE }, written(upstreamModel, RERANK_OF_AGENTS))
      : askWritten(
          { path: modelPath(upstreamModel, 'invoke'), accept: JSON_TYPE },
          written(upstreamModel, INVOKED_RERANK),
        ),
  answered: (value, { documentCount }, headers) => {
    const { data, error } = answer.safeParse(value);
    if (data === undefined) throw notAsExpected(error);
    const { results } = data;
    if (results.some(({ index }) => index >= documentCount))
      throw notAsExpected(new Error('it ranks a document that was not sent'));
    const counted = inputTokensIn(headers);
    return {
      results: results.map(({ index, relevance_score }) => ({ index, relevance_score })),
      ...(counted === undefined ? {} : { usage: { total_tokens: counted } }),
    };
  },
};
