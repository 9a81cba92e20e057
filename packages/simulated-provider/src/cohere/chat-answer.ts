import { type SseEvent, typedEvent } from '../answers/sse-event.ts';
import { pause } from '../http/exchange.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import type { CohereChat } from './plan-chat.ts';

export interface StreamOptions {
  tokenizer: Tokenizer;
  tokenDelayMs: number;
  signal: AbortSignal;
}

export function chatBody({ calls, finishReason, id, text, thinking, toolPlan, usage }: CohereChat): object {
  const content = [
    ...(thinking === '' ? [] : [{ type: 'thinking', thinking }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
  ];
  return {
    id,
    message: {
      role: 'assistant',
      ...(content.length === 0 ? {} : { content }),
      ...(toolPlan === '' ? {} : { tool_plan: toolPlan }),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(callOf) }),
    },
    finish_reason: finishReason,
    ...(usage === undefined ? {} : { usage }),
  };
}

/** https://docs.cohere.com/docs/streaming, "Stream Event Types". */
export async function* streamChat(
  chat: CohereChat,
  { signal, tokenDelayMs, tokenizer }: StreamOptions,
): AsyncGenerator<SseEvent> {
  const begun = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] };
  yield typedEvent('message-start', { id: chat.id, delta: { message: begun } });
  for (const event of events(chat, tokenizer)) {
    if (event.event?.endsWith('-delta')) await pause(tokenDelayMs, signal);
    yield event;
  }
  const delta = {
    finish_reason: chat.finishReason,
    ...(chat.usage === undefined ? {} : { usage: chat.usage }),
  };
  yield typedEvent('message-end', { delta });
}

function* events({ calls, text, thinking, toolPlan }: CohereChat, tokenizer: Tokenizer): Generator<SseEvent> {
  let index = 0;
  const of = (type: string, message?: object) =>
    typedEvent(type, { index, ...(message === undefined ? {} : { delta: { message } }) });
  for (const [type, whole] of [
    ['thinking', thinking],
    ['text', text],
  ] as const) {
    if (whole === '') continue;
    yield of('content-start', { content: { type, [type]: '' } });
    for (const piece of tokenizer.pieces(whole))
      yield of('content-delta', { content: { [type]: piece.text } });
    yield of('content-end');
    index += 1;
  }
  for (const piece of tokenizer.pieces(toolPlan)) {
    yield typedEvent('tool-plan-delta', { delta: { message: { tool_plan: piece.text } } });
  }
  index = 0;
  for (const call of calls) {
    const { function: called, ...rest } = callOf(call);
    yield of('tool-call-start', { tool_calls: { ...rest, function: { ...called, arguments: '' } } });
    for (const piece of tokenizer.pieces(call.arguments)) {
      yield of('tool-call-delta', { tool_calls: { function: { arguments: piece.text } } });
    }
    yield of('tool-call-end');
    index += 1;
  }
}

function callOf({ arguments: written, id, name }: CohereChat['calls'][number]) {
  return { id, type: 'function', function: { name, arguments: written } };
}
