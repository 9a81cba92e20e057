import { DONE_EVENT, dataEvent, type SseEvent } from '../answers/sse-event.ts';
import type { ChatChoice, Completion, ToolCall } from './plan-completion.ts';
import { textPieces } from './preamble.ts';

/** The body of an answer that is not streamed. */
export function completionBody({ id, created, model, choices, serviceTier, usage }: Completion): object {
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: choices.map((choice, index) => ({
      index,
      message: messageOf(choice),
      logprobs: null,
      finish_reason: choice.finishReason,
    })),
    usage,
    service_tier: serviceTier,
    system_fingerprint: 'fp_simulated',
  };
}

function messageOf({ preamble, text, toolCalls }: ChatChoice): object {
  const shared = { role: 'assistant', refusal: null, annotations: [] };
  if (toolCalls.length === 0) return { ...shared, content: preamble + text };
  const calls = toolCalls.map(({ id, name, arguments: args }) => {
    return { id, type: 'function', function: { name, arguments: args } };
  });
  return { ...shared, content: preamble || null, tool_calls: calls };
}

/** Where a stream has its usage. */
export type UsagePlace = 'own_chunk' | 'last_chunk' | 'last_choice';

/**
 * Streams chat.completion.chunk events: the role, token by token, the finish reason, usage, [DONE].
 * @param usagePlace `own_chunk` as at OpenAI, the chunk with the finish reason, or its choice as at Moonshot;
 *   undefined: none is sent
 */
export function* streamCompletion(
  { id, created, model, choices, serviceTier, usage }: Completion,
  usagePlace: UsagePlace | undefined,
): Generator<SseEvent> {
  const shared = {
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    service_tier: serviceTier,
    system_fingerprint: 'fp_simulated',
  };
  const hasOwnChunk = usagePlace === 'own_chunk' && usage !== undefined;
  // If usage has a chunk of its own, OpenAI sends `usage: null` in all others.
  const without = hasOwnChunk ? { usage: null } : {};
  const event = (chunkChoices: object[], extra: object = without, pace?: SseEvent['pace']) =>
    dataEvent({ ...shared, choices: chunkChoices, ...extra }, pace);
  for (const [index, choice] of choices.entries()) {
    const chunk = (delta: object, pace?: SseEvent['pace']) =>
      event([{ index, delta, logprobs: null, finish_reason: null }], without, pace);
    yield chunk(firstDelta(choice));
    for (const delta of deltasOf(choice)) yield chunk(delta, 'token');
    const usageHere = index === choices.length - 1 && usage !== undefined ? { usage } : {};
    const inChoice = usagePlace === 'last_choice' ? usageHere : {};
    const last = { index, delta: {}, logprobs: null, finish_reason: choice.finishReason, ...inChoice };
    yield event([last], usagePlace === 'last_chunk' ? usageHere : without);
  }
  if (hasOwnChunk) yield event([], { usage });
  yield DONE_EVENT;
}

function firstDelta({ toolCalls: [call] }: ChatChoice): object {
  if (call === undefined) return { role: 'assistant', content: '', refusal: null };
  return { role: 'assistant', content: null, tool_calls: [callStart(call, 0)], refusal: null };
}

function callStart({ id, name }: ToolCall, index: number): object {
  return { index, id, type: 'function', function: { name, arguments: '' } };
}

function* deltasOf({ preamble, text, toolCalls }: ChatChoice): Generator<object> {
  for (const content of textPieces(preamble + text, preamble)) yield { content };
  for (const [index, call] of toolCalls.entries()) {
    // The first call begins with the role.
    if (index > 0) yield { tool_calls: [callStart(call, index)] };
    for (const piece of textPieces(call.arguments, '')) {
      yield { tool_calls: [{ index, function: { arguments: piece } }] };
    }
  }
}
