import type { SseEvent } from '../answers/sse-event.ts';
import { messageBody } from '../messages/message-body.ts';
import type { Message } from '../messages/plan-message.ts';

/** Converse's stop reason for an answer written by a guardrail. InvokeModel says it beside the answer. */
const INTERVENED = 'guardrail_intervened';
const ACTION = 'amazon-bedrock-guardrailAction';

export function invokedBody(message: Message): object {
  const body = messageBody(asInvoked(message));
  return message.stopReason === INTERVENED ? { ...body, [ACTION]: 'INTERVENED' } : body;
}

/** @param eventsOf the events of a message */
export async function* invokedEvents(
  message: Message,
  eventsOf: (message: Message) => AsyncIterable<SseEvent>,
): AsyncGenerator<SseEvent> {
  for await (const event of eventsOf(asInvoked(message))) {
    const isTold = event.event === 'message_stop' && message.stopReason === INTERVENED;
    yield isTold
      ? { ...event, data: JSON.stringify({ ...JSON.parse(event.data), [ACTION]: 'INTERVENED' }) }
      : event;
  }
}

function asInvoked(message: Message): Message {
  return message.stopReason === INTERVENED ? { ...message, stopReason: 'end_turn' } : message;
}
