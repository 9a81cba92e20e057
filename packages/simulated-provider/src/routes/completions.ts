import { randomUUID } from 'node:crypto';
import { type Answer, eventsAnswer, jsonAnswer } from '../answers/answer.ts';
import { DONE_EVENT, dataEvent, type SseEvent } from '../answers/sse-event.ts';
import { textPieces } from '../chat/preamble.ts';
import { servedTier } from '../chat/served-tier.ts';
import { completionsRequest, type PlannedTexts, planTexts } from '../completions/plan-texts.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { ProviderError } from '../errors/provider-error.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { requireModel } from '../models.ts';

/** POST /v1/completions */
export function completions(exchange: ProviderExchange): Answer {
  const { fault, json, meter } = exchange;
  const request = parseFields(completionsRequest, json);
  requireModel(request.model, 'completions');
  const { best_of: bestOf, model, n, stream, stream_options: options } = request;
  if ((bestOf ?? 1) < (n ?? 1) && typeof bestOf === 'number')
    throw new ProviderError(400, 'best_of must be at least n.', { param: 'best_of' });
  if (stream === true && (bestOf ?? 1) > (n ?? 1))
    throw new ProviderError(400, 'Cannot stream results with best_of > n.', { param: 'best_of' });
  const planned = planTexts(request, exchange);
  const { completionTokens, promptTokens } = planned;
  const serviceTier = servedTier(request.service_tier, fault, 'default');
  const units = { input: promptTokens, output: completionTokens };
  meter({ model, units, serviceTier, isIncremental: true });
  const counted = {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
  const usage = spoilUsage(counted, fault);
  const head = {
    id: `cmpl-${randomUUID().replaceAll('-', '')}`,
    object: 'text_completion',
    created: Math.floor(Date.now() / 1_000),
    model,
    ...(request.service_tier === undefined ? {} : { service_tier: serviceTier }),
  };
  if (stream !== true) return jsonAnswer({ ...head, choices: planned.choices.map(wholeChoice), usage });
  const place = options?.include_usage === true ? 'own_chunk' : undefined;
  return eventsAnswer(eventsOf(head, planned, usage, fault.usage === 'on_last_chunk' ? 'last_chunk' : place));
}

function wholeChoice({ before, finishReason, text }: PlannedTexts['choices'][number], index: number): object {
  return { text: before + text, index, logprobs: null, finish_reason: finishReason };
}

/** The choices take turns, token by token. */
function* eventsOf(
  head: object,
  { choices }: PlannedTexts,
  usage: object | undefined,
  usagePlace: 'own_chunk' | 'last_chunk' | undefined,
): Generator<SseEvent> {
  const hasOwnChunk = usagePlace === 'own_chunk' && usage !== undefined;
  const without = hasOwnChunk ? { usage: null } : {};
  const chunk = (text: string, index: number, finishReason: string | null, extra: object = without) =>
    dataEvent(
      { ...head, choices: [{ text, index, logprobs: null, finish_reason: finishReason }], ...extra },
      finishReason === null ? 'token' : undefined,
    );
  const pieces = choices.map(({ before, text }) => textPieces(before + text, before));
  let open = choices.length;
  const ended = new Set<number>();
  while (open > 0) {
    for (const [index, rest] of pieces.entries()) {
      if (ended.has(index)) continue;
      const next = rest.next();
      if (next.done !== true) {
        yield chunk(next.value, index, null);
        continue;
      }
      ended.add(index);
      open -= 1;
      const inLast = usagePlace === 'last_chunk' && open === 0 && usage !== undefined ? { usage } : without;
      yield chunk('', index, choices[index]?.finishReason ?? 'stop', inLast);
    }
  }
  if (hasOwnChunk) yield dataEvent({ ...head, choices: [], usage });
  yield DONE_EVENT;
}
