import type { EmbeddingsRequest } from '@model-gateway/shared';
import { z } from 'zod';
import { mostOfEmbeddings } from '../billing/most-units.ts';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { Exchange } from '../request-record.ts';
import type { JsonBody } from '../steps/read-json-body.ts';
import { type CapabilityCall, SIZED_BY_REQUEST } from '../upstream/capability-call.ts';
import { badGateway } from '../upstream/provider-errors.ts';
import { JsonRelay } from './answer-json.ts';
import { jsonProviderBody } from './provider-body.ts';
import { estimatedTokens, requestTextBytes, usageOf } from './usage.ts';

const tokens = z.int().min(0).max(1_000_000_000);
/** Checked by hand but for its frame: an answer may hold millions of numbers. */
const answer = z.looseObject({
  data: z.custom<object[]>((value) => Array.isArray(value) && value.length > 0 && value.every(isEmbedding)),
  usage: z.looseObject({ prompt_tokens: tokens }).nullish().catch(null),
});

/** POST /v1/embeddings */
export function embeddingsCall(
  exchange: Exchange,
  body: JsonBody<EmbeddingsRequest>,
  model: RoutedModel,
): CapabilityCall {
  return {
    path: '/embeddings',
    accept: 'application/json',
    streamed: false,
    repeatable: true,
    most: mostOfEmbeddings(body.value, body.size, model),
    ...SIZED_BY_REQUEST,
    body: (upstreamModel) => jsonProviderBody(body, { model: JSON.stringify(upstreamModel) }),
    answer: new JsonRelay(exchange, (value) => {
      const parsed = answer.safeParse(value);
      if (!parsed.success) throw badGateway(parsed.error);
      const counted = parsed.data.usage?.prompt_tokens;
      const inputTokens = counted ?? estimatedTokens(requestTextBytes(body.chunks, 'input'));
      return {
        body: {
          ...parsed.data,
          object: 'list',
          model: model.id,
          usage: { prompt_tokens: inputTokens, total_tokens: inputTokens },
        },
        usage: usageOf(counted === undefined ? 'estimated' : 'provider', { inputTokens }),
      };
    }),
  };
}

function isEmbedding(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('embedding' in value)) return false;
  return typeof value.embedding === 'string' || Array.isArray(value.embedding);
}
