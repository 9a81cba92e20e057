import {
  endpointOf,
  estimatedTokens,
  type JsonBody,
  type JsonNode,
  type JsonTranslator,
  type OutlinedResponse,
  requestTextBytes,
  unexpectedJson,
  usageOf,
} from '@model-gateway/dialects';
import type { EmbeddingsRequest } from '@model-gateway/shared';
import { z } from 'zod';
import { maxUnitsOfEmbeddings } from '../billing/max-units.ts';
import { isPlausibleInput } from '../billing/plausible-counts.ts';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { TranslationContext } from '../chat/request-translation.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { type CapabilityCall, SIZED_BY_REQUEST } from '../upstream/capability-call.ts';
import { JsonRelay, type WholeAnswers } from '../upstream/relay-json.ts';
import { TranslatableRequest } from './translatable-request.ts';

const tokens = z.int().min(0).max(1_000_000_000);
const usage = z.looseObject({ prompt_tokens: tokens });
/** Zod checks only the frame: a response may hold millions of numbers. */
const answer = z.looseObject({
  data: z.custom<object[]>((value) => Array.isArray(value) && value.length > 0 && value.every(isEmbedding)),
  usage: usage.nullish().catch(null),
});

/** POST /v1/embeddings */
export function embeddingsCall(
  exchange: AuthenticatedExchange,
  body: JsonBody<EmbeddingsRequest>,
  model: RoutedModel,
  shared: WholeAnswers & TranslationContext,
): CapabilityCall {
  const request = new TranslatableRequest(exchange, body, model, shared);
  const maxUnits = maxUnitsOfEmbeddings(body.size);
  const consumed = (reported: number | undefined) => {
    const counted =
      reported !== undefined && isPlausibleInput(reported, maxUnits.inputTokens) ? reported : undefined;
    const inputBytes = () => body.inputBytes ?? requestTextBytes(body.chunks, 'input');
    const inputTokens = counted ?? Math.min(estimatedTokens(inputBytes()), maxUnits.inputTokens);
    return {
      shown: { prompt_tokens: inputTokens, total_tokens: inputTokens },
      usage: usageOf(counted === undefined ? 'estimated' : 'provider', { inputTokens }),
    };
  };
  const whole = (value: unknown) => {
    const parsed = answer.safeParse(value);
    if (!parsed.success) throw unexpectedJson(parsed.error);
    const { shown, usage } = consumed(parsed.data.usage?.prompt_tokens);
    return { body: { ...parsed.data, object: 'list', model: model.id, usage: shown }, usage };
  };
  const passthrough: JsonTranslator = {
    whole,
    outline: { within: 'data', depth: 3 },
    large: (outlined) => {
      const vectors = outlined.entries('data') ?? [];
      if (vectors.length === 0 || !vectors.every((vector) => isLargeEmbedding(outlined, vector)))
        throw unexpectedJson(new Error('it holds no embeddings'));
      const reported = usage.safeParse(outlined.small('usage'));
      const { shown, usage: counted } = consumed(reported.data?.prompt_tokens);
      const edits = {
        object: '"list"',
        model: JSON.stringify(model.id),
        usage: JSON.stringify(shown),
      };
      return { pieces: outlined.edit(edits), usage: counted };
    },
  };
  return {
    streamed: false,
    isRepeatable: () => request.isRepeatable,
    maxUnits,
    ...SIZED_BY_REQUEST,
    buildRequest: (protocol, upstreamModel, pace) =>
      endpointOf(protocol, 'embeddings').buildRequest(request, upstreamModel, pace),
    estimateUnread: () => consumed(undefined).usage,
    answer: new JsonRelay(exchange, shared, ({ protocol }, _upstreamModel, headers) => {
      const { convertResponse } = endpointOf(protocol, 'embeddings');
      if (convertResponse === undefined) return passthrough;
      return { whole: (value) => whole(convertResponse(value, body.value, headers)) };
    }),
  };
}

function isLargeEmbedding(answer: OutlinedResponse, { kind, children }: JsonNode): boolean {
  const embedding = kind === 'object' ? answer.member('embedding', children) : undefined;
  return embedding?.kind === 'string' || embedding?.kind === 'array';
}

function isEmbedding(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('embedding' in value)) return false;
  return typeof value.embedding === 'string' || Array.isArray(value.embedding);
}
