import { randomUUID } from 'node:crypto';
import {
  endpointOf,
  estimatedTokens,
  type JsonBody,
  type JsonTranslator,
  requestTextBytes,
  unexpectedJson,
  usageOf,
} from '@model-gateway/dialects';
import { type RerankAnswer, type RerankRequest, rerankAnswer } from '@model-gateway/shared';
import { maxUnitsOfRerank, searchUnitsOf } from '../billing/max-units.ts';
import { arePlausibleSearchUnits, isPlausibleInput } from '../billing/plausible-counts.ts';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { TranslationContext } from '../chat/request-translation.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { type CapabilityCall, SIZED_BY_REQUEST } from '../upstream/capability-call.ts';
import { JsonRelay, type WholeAnswers } from '../upstream/relay-json.ts';
import { largeResults, resultPieces } from './rerank-large.ts';
import { TranslatableRequest } from './translatable-request.ts';

/** POST /v1/rerank */
export function rerankCall(
  exchange: AuthenticatedExchange,
  body: JsonBody<RerankRequest>,
  model: RoutedModel,
  shared: WholeAnswers & TranslationContext,
): CapabilityCall {
  const { id: modelId } = model;
  const { documents } = body.value;
  const request = new TranslatableRequest(exchange, body, model, shared);
  const maxUnits = maxUnitsOfRerank(body.value, body.size);
  const consumed = (answer: RerankAnswer) => {
    const units = answer.meta?.billed_units?.search_units ?? undefined;
    const isCounted = units !== undefined && arePlausibleSearchUnits(units, maxUnits.searchUnits);
    const searchUnits = isCounted ? units : searchUnitsOf(body.value.documentCount);
    const tokens = tokensOf(answer);
    const totalTokens =
      tokens !== undefined && isPlausibleInput(tokens, maxUnits.inputTokens)
        ? tokens
        : Math.min(estimatedTokens(body.inputBytes ?? inputBytes(body.chunks)), maxUnits.inputTokens);
    return {
      frame: publicFrame(answer, { modelId, searchUnits, totalTokens }),
      usage: usageOf(isCounted ? 'provider' : 'gateway', { searchUnits, inputTokens: totalTokens }),
    };
  };
  const whole = (value: unknown) => {
    const answer = parseAnswer(value);
    const { frame, usage } = consumed(answer);
    const results = answer.results.sort(bestFirst).map(({ index, relevance_score, document }) => ({
      index,
      relevance_score,
      ...(documents && { document: { text: textOf(document) ?? documents[index] ?? '' } }),
    }));
    return { body: { ...frame.before, results, ...frame.after }, usage };
  };
  const passthrough: JsonTranslator = {
    whole,
    outline: { within: 'results', depth: 4 },
    large: (outlined) => {
      const results = largeResults(outlined);
      const { frame, usage } = consumed(
        parseAnswer({
          id: outlined.small('id'),
          results: results?.map(({ seen }) => seen),
          meta: outlined.small('meta'),
          usage: outlined.small('usage'),
        }),
      );
      const sorted = (results ?? []).sort((left, right) => bestFirst(left.seen, right.seen));
      return { pieces: resultPieces(outlined, sorted, { ...frame, documents }), usage };
    },
  };
  return {
    streamed: false,
    isRepeatable: () => request.isRepeatable,
    maxUnits,
    ...SIZED_BY_REQUEST,
    buildRequest: (protocol, upstreamModel, pace) =>
      endpointOf(protocol, 'rerank').buildRequest(request, upstreamModel, pace),
    estimateUnread: () => consumed({ results: [] }).usage,
    answer: new JsonRelay(exchange, shared, ({ protocol }, _upstreamModel, headers) => {
      const { convertResponse } = endpointOf(protocol, 'rerank');
      if (convertResponse === undefined) return passthrough;
      return { whole: (value) => whole(convertResponse(value, body.value, headers)) };
    }),
  };
}

function parseAnswer(value: unknown): RerankAnswer {
  const result = rerankAnswer.safeParse(value);
  if (!result.success) throw unexpectedJson(result.error);
  return result.data;
}

/** Builds the frame around the results: Cohere's shape with Jina's additions, for every provider. */
function publicFrame(
  answer: RerankAnswer,
  { modelId, searchUnits, totalTokens }: { modelId: string; searchUnits: number; totalTokens: number },
) {
  return {
    before: { id: answer.id ?? randomUUID(), model: modelId },
    after: {
      meta: {
        api_version: answer.meta?.api_version ?? { version: '2' },
        billed_units: { search_units: searchUnits },
        tokens: { input_tokens: totalTokens },
      },
      usage: { search_units: searchUnits, total_tokens: totalTokens },
    },
  };
}

function bestFirst(left: { relevance_score: number }, right: { relevance_score: number }): number {
  return right.relevance_score - left.relevance_score;
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
