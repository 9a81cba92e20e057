import { type SseEvent, typedEvent } from '../answers/sse-event.ts';
import { textPieces } from '../chat/preamble.ts';
import type { CohereChat } from './plan-chat.ts';

export function chatBody({ calls, finishReason, id, text, thinking, toolPlan, usage }: CohereChat): object {
  const content = [
    ...(thinking === '' ? [] : [{ type: 'thinking', thinking }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
  ];
  return {
    id,
    message: {
      role: 'assistant',
      content: content.length === 0 ? undefined : content,
      tool_plan: toolPlan === '' ? undefined : toolPlan,
      tool_calls: calls.length === 0 ? undefined : calls.map(callOf),
    },
    finish_reason: finishReason,
    usage,
  };
}

/** https://docs.cohere.com/docs/streaming, "Stream Event Types". */
export function* streamChat(chat: CohereChat): Generator<SseEvent> {
  const { calls, finishReason, id, text, thinking, toolPlan, usage } = chat;
  const begun = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] };
  yield typedEvent('message-start', { id, delta: { message: begun } });
  const event = (type: string, index: number, message?: object) =>
    typedEvent(type, { index, delta: message && { message } }, type.endsWith('-delta') ? 'token' : undefined);
  const parts = Object.entries({ thinking, text }).filter(([, whole]) => whole !== '');
  for (const [index, [type, whole]] of parts.entries()) {
    yield event('content-start', index, { content: { type, [type]: '' } });
    for (const piece of textPieces(whole, ''))
      yield event('content-delta', index, { content: { [type]: piece } });
    yield event('content-end', index);
  }
  for (const piece of textPieces(toolPlan, '')) {
    yield typedEvent('tool-plan-delta', { delta: { message: { tool_plan: piece } } }, 'token');
  }
  for (const [index, call] of calls.entries()) {
    const { function: called, ...rest } = callOf(call);
    const begunCall = { ...rest, function: { ...called, arguments: '' } };
    yield event('tool-call-start', index, { tool_calls: begunCall });
    for (const piece of textPieces(call.arguments, '')) {
      yield event('tool-call-delta', index, { tool_calls: { function: { arguments: piece } } });
    }
    yield event('tool-call-end', index);
  }
  yield typedEvent('message-end', { delta: { finish_reason: finishReason, usage } });
}

function callOf({ arguments: written, id, name }: CohereChat['calls'][number]) {
  return { id, type: 'function', function: { name, arguments: written } };
}
