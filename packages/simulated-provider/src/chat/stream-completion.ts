import { DONE, type SseEvent } from '../answers/sse-event.ts';
import { pause } from '../http/exchange.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import type { ChatUsage } from './chat-usage.ts';
import type { ChatChoice, Completion, ToolCall } from './plan-completion.ts';

export interface StreamOptions {
  tokenizer: Tokenizer;
  tokenDelayMs: number;
  signal: AbortSignal;
  /** Where usage is sent: in a chunk of its own as OpenAI does, in the last chunk, or nowhere. */
  usage: 'own_chunk' | 'last_chunk' | 'none';
}

/** Streams chat.completion.chunk events: the role, token by token, the finish reason, usage, [DONE]. */
export async function* streamCompletion(
  completion: Completion,
  options: StreamOptions,
): AsyncGenerator<SseEvent> {
  const { id, created, model, choices, usage } = completion;
  const { signal, tokenDelayMs } = options;
  const shared = {
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    service_tier: 'default',
    system_fingerprint: 'fp_simulated',
  };
  // When usage has a chunk of its own, OpenAI sends `usage: null` in all the others.
  const without = options.usage === 'own_chunk' && usage !== undefined ? { usage: null } : {};
  const event = (chunkChoices: object[], extra: object = without): SseEvent => ({
    data: JSON.stringify({ ...shared, choices: chunkChoices, ...extra }),
  });
  for (const [index, choice] of choices.entries()) {
    const chunk = (delta: object) => event([{ index, delta, logprobs: null, finish_reason: null }]);
    yield chunk(firstDelta(choice));
    for (const delta of deltas(choice, options.tokenizer)) {
      await pause(tokenDelayMs, signal);
      yield chunk(delta);
    }
    const isLast = index === choices.length - 1 && options.usage === 'last_chunk';
    const last = { index, delta: {}, logprobs: null, finish_reason: choice.finishReason };
    yield event([last], isLast ? { usage } : without);
  }
  if (options.usage === 'own_chunk' && usage !== undefined) yield event([], { usage });
  yield { data: DONE };
}

/** Decides where usage is sent, from what the request asked for and from the knob `usage`. */
export function usagePlace(
  usage: ChatUsage | undefined,
  isAsked: boolean,
  isOnLastChunk: boolean,
): StreamOptions['usage'] {
  if (usage === undefined) return 'none';
  if (isOnLastChunk) return 'last_chunk';
  return isAsked ? 'own_chunk' : 'none';
}

function firstDelta({ toolCalls: [call] }: ChatChoice): object {
  if (call === undefined) return { role: 'assistant', content: '', refusal: null };
  return { role: 'assistant', content: null, tool_calls: [callStart(call, 0)], refusal: null };
}

function callStart({ id, name }: ToolCall, index: number): object {
  return { index, id, type: 'function', function: { name, arguments: '' } };
}

function* deltas({ preamble, text, toolCalls }: ChatChoice, tokenizer: Tokenizer): Generator<object> {
  if (preamble !== '') yield { content: preamble };
  for (const piece of tokenizer.pieces(text)) yield { content: piece.text };
  for (const [index, call] of toolCalls.entries()) {
    // The first one begins with the role.
    if (index > 0) yield { tool_calls: [callStart(call, index)] };
    for (const piece of tokenizer.pieces(call.arguments)) {
      yield { tool_calls: [{ index, function: { arguments: piece.text } }] };
    }
  }
}
