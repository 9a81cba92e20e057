import {
  countInputBytes,
  endpointOf,
  estimatedTokens,
  isAbsurdUsage,
  type JsonBody,
  type JsonTranslator,
  unexpectedJson,
  usageOf,
  withoutAbsurdUsage,
} from '@model-gateway/dialects';
import { type ModerationsRequest, moderationsAnswer } from '@model-gateway/shared';
import { z } from 'zod';
import { maxUnitsOfModeration } from '../billing/max-units.ts';
import { isPlausibleInput } from '../billing/plausible-counts.ts';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { TranslationContext } from '../chat/request-translation.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { type CapabilityCall, SIZED_BY_REQUEST } from '../upstream/capability-call.ts';
import { JsonRelay, type WholeAnswers } from '../upstream/relay-json.ts';
import { TranslatableRequest } from './translatable-request.ts';

/** OpenAI, whose moderation is free, counts no tokens; Mistral does. */
const usage = z.looseObject({ prompt_tokens: z.int().min(0).max(1_000_000_000) });

/** POST /v1/moderations */
export function moderationsCall(
  exchange: AuthenticatedExchange,
  body: JsonBody<ModerationsRequest>,
  model: RoutedModel,
  shared: WholeAnswers & TranslationContext,
): CapabilityCall {
  const request = new TranslatableRequest(exchange, body, model, shared);
  const maxUnits = maxUnitsOfModeration(body.value, body.size, model);
  const mediaTokens = body.value.mediaParts * model.mediaPartTokens;
  const consumed = (reported: unknown) => {
    const counted = usage.safeParse(reported).data?.prompt_tokens;
    if (counted !== undefined && isPlausibleInput(counted, maxUnits.inputTokens))
      return usageOf('provider', { inputTokens: counted });
    const textTokens = estimatedTokens(body.inputBytes ?? textBytesOf(body.chunks));
    const inputTokens = textTokens + mediaTokens;
    return usageOf('estimated', { inputTokens: Math.min(inputTokens, maxUnits.inputTokens) });
  };
  const passthrough: JsonTranslator = {
    whole: (value) => {
      const parsed = moderationsAnswer.safeParse(value);
      if (!parsed.success) throw unexpectedJson(parsed.error);
      const body = withoutAbsurdUsage({ ...parsed.data, model: model.id });
      return { body, usage: consumed(parsed.data.usage) };
    },
    outline: { within: 'results', depth: 2 },
    large: (answer) => {
      const results = answer.entries('results') ?? [];
      if (results.length === 0 || !results.every(({ kind }) => kind === 'object'))
        throw unexpectedJson(new Error('it holds no results'));
      const reported = answer.small('usage');
      const edits = {
        model: JSON.stringify(model.id),
        ...(isAbsurdUsage(reported) ? { usage: undefined } : {}),
      };
      return { pieces: answer.edit(edits), usage: consumed(reported) };
    },
  };
  return {
    streamed: false,
    isRepeatable: () => request.isRepeatable,
    maxUnits,
    mediaTokens,
    ...SIZED_BY_REQUEST,
    buildRequest: (protocol, upstreamModel, pace) =>
      endpointOf(protocol, 'moderation').buildRequest(request, upstreamModel, pace),
    estimateUnread: () => consumed(undefined),
    answer: new JsonRelay(exchange, shared, () => passthrough),
  };
}

/** Parses a small request again: the worker has counted a large one. */
function textBytesOf(request: readonly Buffer[]): number {
  return countInputBytes('moderation', JSON.parse(Buffer.concat(request).toString())) ?? 0;
}
