import { type SseEvent, typedEvent } from '../answers/sse-event.ts';
import { textPieces } from '../chat/preamble.ts';
import { cutAnywhere } from '../text/cut-anywhere.ts';
import type { MessageUsage } from './message-usage.ts';
import type { AnswerBlock, Message } from './plan-message.ts';

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

function emptyMessage({ id, model }: Message, usage: MessageUsage | undefined): object {
  return {
    model,
    id,
    type: 'message',
    role: 'assistant',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage,
  };
}

/** A ping follows the start of the first block, and each of so many deltas. */
const DELTAS_PER_PING = 25;
const PING = typedEvent('ping', {});

/**
 * Streams a message as Anthropic does: its start with the usage of the input; for each block a start, deltas
 * token by token, and a stop; then the stop reason with the final usage, and its stop.
 * @param pingsOnly sends only pings after the start, until the client goes away
 */
export function* streamMessage(message: Message, pingsOnly: boolean): Generator<SseEvent> {
  const { content, preamble, stopReason, stopSequence, usage } = message;
  yield typedEvent('message_start', { message: emptyMessage(message, usage.atStart) });
  while (pingsOnly) yield { ...PING, pace: 'ping' };
  let sent = 0;
  for (const [index, block] of content.entries()) {
    yield typedEvent('content_block_start', { index, content_block: emptyBlock(block) });
    if (index === 0) yield PING;
    for (const delta of deltasOf(block, preamble)) {
      yield typedEvent('content_block_delta', { index, delta }, 'token');
      sent += 1;
      if (sent % DELTAS_PER_PING === 0) yield PING;
    }
    yield typedEvent('content_block_stop', { index });
  }
  yield typedEvent('message_delta', {
    delta: { stop_reason: stopReason, stop_sequence: stopSequence, stop_details: null },
    usage: usage.atEnd,
  });
  yield typedEvent('message_stop', {});
}

function emptyBlock(block: AnswerBlock): object {
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'text':
      return { type: 'text', text: '' };
    case 'tool_use':
      return { ...block, input: {} };
    case 'redacted_thinking':
      return block;
  }
}

function* deltasOf(block: AnswerBlock, preamble: string): Generator<object> {
  if (block.type === 'text') {
    for (const text of textPieces(block.text, preamble)) yield { type: 'text_delta', text };
  } else if (block.type === 'thinking') {
    for (const thinking of textPieces(block.thinking, '')) yield { type: 'thinking_delta', thinking };
    yield { type: 'signature_delta', signature: block.signature };
  } else if (block.type === 'tool_use') {
    for (const piece of ['', ...cutAnywhere(JSON.stringify(block.input))]) {
      yield { type: 'input_json_delta', partial_json: piece };
    }
  }
}
