import type { MessageUsage } from './message-usage.ts';
import type { Message } from './plan-message.ts';

/** The body of an answer that is not streamed. */
export function messageBody(message: Message): object {
  const { content, stopReason, stopSequence, usage } = message;
  return {
    ...emptyMessage(message, usage.whole),
    content,
    stop_reason: stopReason,
    stop_sequence: stopSequence,
  };
}

/** A message of which nothing is there yet, as a stream begins with it. */
export function emptyMessage(
  { id, model }: Pick<Message, 'id' | 'model'>,
  usage: MessageUsage | undefined,
): object {
  return {
    model,
    id,
    type: 'message',
    role: 'assistant',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    ...(usage === undefined ? {} : { usage }),
  };
}
