import { z } from 'zod';
import { type Answer, jsonAnswer } from '../answers/answer.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { ProviderError } from '../errors/provider-error.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { bearerToken } from '../protocols/same-secret.ts';
import { scoreDocuments } from '../rerank/score-documents.ts';

export const RERANK_MODELS = ['cohere.sim-rerank-v1:0', 'amazon.sim-rerank-v1:0'];
const MAX_DOCUMENTS = 1_000;

const invoked = z.strictObject({
  query: z.string().min(1),
  documents: z.array(z.string().min(1)).min(1).max(MAX_DOCUMENTS),
  top_n: z.int().min(1).optional(),
  api_version: z.literal(2).optional(),
  simulate: z.unknown().optional(),
});

/** InvokeModel of a model that ranks; those of Cohere want to know in which version of their API. */
export function invokeRerank({ json }: ProviderExchange, model: string): Answer {
  const { api_version, documents, query, top_n } = parseFields(invoked, json);
  if (model.startsWith('cohere.') !== (api_version !== undefined))
    throw new ProviderError(400, 'Malformed input request: api_version');
  return jsonAnswer({
    results: ranked(query, documents, top_n).map(({ index, score }) => ({ index, relevance_score: score })),
  });
}

const text = z.string().min(1);
const rerankRequest = z.strictObject({
  queries: z.tuple([z.strictObject({ type: z.literal('TEXT'), textQuery: z.strictObject({ text }) })]),
  sources: z
    .array(
      z.strictObject({
        type: z.literal('INLINE'),
        inlineDocumentSource: z.strictObject({
          type: z.literal('TEXT'),
          textDocument: z.strictObject({ text }),
        }),
      }),
    )
    .min(1)
    .max(MAX_DOCUMENTS),
  rerankingConfiguration: z.strictObject({
    type: z.literal('BEDROCK_RERANKING_MODEL'),
    bedrockRerankingConfiguration: z.strictObject({
      modelConfiguration: z.strictObject({
        modelArn: z.string().regex(/^arn:aws(-[^:]+)?:bedrock:[a-z0-9-]+::foundation-model\/.+$/),
      }),
      numberOfResults: z.int().min(1).max(MAX_DOCUMENTS).optional(),
    }),
  }),
  simulate: z.unknown().optional(),
});

/** POST /rerank of the agents' runtime, which takes signatures and no API keys. */
export function agentsRerank({ json, req }: ProviderExchange): Answer {
  if (bearerToken(req.headers.authorization) !== undefined)
    throw new ProviderError(403, 'API keys are not supported by this operation.');
  const { queries, rerankingConfiguration, sources } = parseFields(rerankRequest, json);
  const { modelConfiguration, numberOfResults } = rerankingConfiguration.bedrockRerankingConfiguration;
  const model = modelConfiguration.modelArn.replace(/^.*\//, '');
  if (!RERANK_MODELS.includes(model))
    throw new ProviderError(400, 'The provided model identifier is invalid.');
  const documents = sources.map(({ inlineDocumentSource }) => inlineDocumentSource.textDocument.text);
  return jsonAnswer({
    results: ranked(queries[0].textQuery.text, documents, numberOfResults).map(({ index, score }) => ({
      index,
      relevanceScore: score,
    })),
  });
}

function ranked(query: string, documents: readonly string[], most: number | undefined) {
  if (most !== undefined && most > documents.length)
    throw new ProviderError(400, 'The number of results must not exceed that of the documents.');
  return scoreDocuments(query, documents).slice(0, most ?? documents.length);
}
