import { randomUUID } from 'node:crypto';
import { type RerankAnswer, type RerankRequest, rerankAnswer } from '@model-gateway/shared';
import { mostOfRerank, searchUnitsOf } from '../billing/most-units.ts';
import type { Exchange } from '../request-record.ts';
import type { JsonBody } from '../steps/read-json-body.ts';
import { type CapabilityCall, SIZED_BY_REQUEST } from '../upstream/capability-call.ts';
import { badGateway } from '../upstream/provider-errors.ts';
import { JsonRelay } from './answer-json.ts';
import { jsonProviderBody } from './provider-body.ts';
import { estimatedTokens, requestTextBytes, usageOf } from './usage.ts';

/** POST /v1/rerank */
export function rerankCall(
  exchange: Exchange,
  body: JsonBody<RerankRequest>,
  modelId: string,
): CapabilityCall {
  return {
    path: '/rerank',
    accept: 'application/json',
    streamed: false,
    repeatable: true,
    most: mostOfRerank(body.value, body.size),
    ...SIZED_BY_REQUEST,
    body: (upstreamModel) => jsonProviderBody(body, { model: JSON.stringify(upstreamModel) }),
    answer: new JsonRelay(exchange, (value) => {
      const parsed = rerankAnswer.safeParse(value);
      if (!parsed.success) throw badGateway(parsed.error);
      const counted = parsed.data.meta?.billed_units?.search_units;
      const searchUnits = counted ?? searchUnitsOf(body.value.documentCount);
      const totalTokens = tokensOf(parsed.data) ?? estimatedTokens(inputBytes(body.chunks));
      return {
        body: publicAnswer(parsed.data, body.value, { modelId, searchUnits, totalTokens }),
        usage: usageOf(counted == null ? 'gateway' : 'provider', { searchUnits, inputTokens: totalTokens }),
      };
    }),
  };
}

/** Cohere's shape with Jina's additions, best first, whichever of the two the provider speaks. */
function publicAnswer(
  answer: RerankAnswer,
  { documents }: RerankRequest,
  { modelId, searchUnits, totalTokens }: { modelId: string; searchUnits: number; totalTokens: number },
) {
  const results = [...answer.results].sort((left, right) => right.relevance_score - left.relevance_score);
  return {
    id: answer.id ?? randomUUID(),
    model: modelId,
    results: results.map(({ index, relevance_score, document }) => ({
      index,
      relevance_score,
      ...(documents === undefined ? {} : { document: { text: textOf(document) ?? documents[index] ?? '' } }),
    })),
    meta: {
      api_version: answer.meta?.api_version ?? { version: '2' },
      billed_units: { search_units: searchUnits },
      tokens: { input_tokens: totalTokens },
    },
    usage: { search_units: searchUnits, total_tokens: totalTokens },
  };
}

function textOf(document: RerankAnswer['results'][number]['document']): string | undefined {
  if (typeof document === 'string') return document;
  return document?.text ?? undefined;
}

function tokensOf({ meta, usage }: RerankAnswer): number | undefined {
  return usage?.total_tokens ?? meta?.tokens?.input_tokens ?? undefined;
}

function inputBytes(request: readonly Buffer[]): number {
  return requestTextBytes(request, 'query') + requestTextBytes(request, 'documents');
}
