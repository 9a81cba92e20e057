import { TIME_MARK } from './answer-plan.ts';
import { eventWithTime } from './event-with-time.ts';

/** The model at the provider of Messages, under the same name in the catalog: its bytes pass unchanged. */
export const MESSAGES_MODEL = 'bench/messages';

const event = (type: string, fields: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

/** Events before the first chunk of a streamed message. */
export const MESSAGE_START =
  event('message_start', {
    message: {
      id: 'msg_bench',
      type: 'message',
      role: 'assistant',
      model: MESSAGES_MODEL,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 200, output_tokens: 1 },
    },
  }) + event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });

export const deltaAt = eventWithTime((time) => {
  const delta = { type: 'text_delta', text: `${TIME_MARK}${time}${TIME_MARK} words` };
  return event('content_block_delta', { index: 0, delta });
});

/** Events after the last chunk: the end of the block, the reason, the usage, the end of the message. */
export const MESSAGE_END =
  event('content_block_stop', { index: 0 }) +
  event('message_delta', {
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 20 },
  }) +
  event('message_stop', {});
