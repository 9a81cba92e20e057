import { z } from 'zod';
import { type Answer, jsonAnswer } from '../answers/answer.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { ProviderError } from '../errors/provider-error.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { scoreDocuments } from '../rerank/score-documents.ts';
import { count, typed } from '../schemas/members.ts';
import { bearerToken } from '../text/signatures.ts';

export const RERANK_MODELS = ['cohere.sim-rerank-v1:0', 'amazon.sim-rerank-v1:0'];
const MAX_DOCUMENTS = 1_000;

const invoked = z.strictObject({
  query: z.string().min(1),
  documents: z.array(z.string().min(1)).min(1).max(MAX_DOCUMENTS),
  top_n: count(1).optional(),
  api_version: z.literal(2).optional(),
});

/** InvokeModel of a model that ranks. Cohere's require the version of their API. */
export function invokeRerank({ json }: ProviderExchange, model: string): Answer {
  const { api_version, documents, query, top_n } = parseFields(invoked, json);
  if (model.startsWith('cohere.') !== (api_version !== undefined))
    throw new ProviderError(400, 'Malformed input request: api_version');
  return jsonAnswer({
    results: ranked(query, documents, top_n).map(({ index, score }) => ({ index, relevance_score: score })),
  });
}

const text = z.string().min(1);
const modelArn = z.string().regex(/^arn:aws(-[^:]+)?:bedrock:[a-z0-9-]+::foundation-model\/.+$/);
const inlineDocumentSource = typed('TEXT', { textDocument: z.strictObject({ text }) });
const rerankRequest = z.strictObject({
  queries: z.tuple([typed('TEXT', { textQuery: z.strictObject({ text }) })]),
  sources: z.array(typed('INLINE', { inlineDocumentSource })).min(1).max(MAX_DOCUMENTS),
  rerankingConfiguration: typed('BEDROCK_RERANKING_MODEL', {
    bedrockRerankingConfiguration: z.strictObject({
      modelConfiguration: z.strictObject({ modelArn }),
      numberOfResults: count(1, MAX_DOCUMENTS).optional(),
    }),
  }),
});

/** POST /rerank of the agents' runtime, which takes signatures but no API keys. */
export function agentsRerank({ json, req }: ProviderExchange): Answer {
  if (bearerToken(req.headers.authorization) !== undefined)
    throw new ProviderError(403, 'API keys are not supported by this operation.');
  const { queries, rerankingConfiguration, sources } = parseFields(rerankRequest, json);
  const { modelConfiguration, numberOfResults } = rerankingConfiguration.bedrockRerankingConfiguration;
  const model = modelConfiguration.modelArn.replace(/^.*\//, '');
  if (!RERANK_MODELS.includes(model))
    throw new ProviderError(400, 'The provided model identifier is invalid.');
  const documents = sources.map((source) => source.inlineDocumentSource.textDocument.text);
  return jsonAnswer({
    results: ranked(queries[0].textQuery.text, documents, numberOfResults).map(({ index, score }) => ({
      index,
      relevanceScore: score,
    })),
  });
}

function ranked(query: string, documents: readonly string[], limit: number | undefined) {
  if (limit !== undefined && limit > documents.length)
    throw new ProviderError(400, 'The number of results must not exceed that of the documents.');
  return scoreDocuments(query, documents).slice(0, limit ?? documents.length);
}
