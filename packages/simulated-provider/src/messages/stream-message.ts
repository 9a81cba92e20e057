import { type SseEvent, typedEvent } from '../answers/sse-event.ts';
import { pause } from '../http/exchange.ts';
import { cutAnywhere } from '../text/cut-anywhere.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import { emptyMessage } from './message-body.ts';
import type { AnswerBlock, Message } from './plan-message.ts';

export interface StreamOptions {
  tokenizer: Tokenizer;
  tokenDelayMs: number;
  signal: AbortSignal;
  /** After the start of the message there are only pings, until the client goes away. */
  pingsOnly: boolean;
}

/** A ping comes after the start of the first block, and again after so many deltas. */
const DELTAS_PER_PING = 25;
/** Pings that come alone are at least so far apart, in milliseconds. */
const MIN_PING_DELAY_MS = 10;
const PING = typedEvent('ping', {});

/**
 * Streams a message as Anthropic does: its start with the usage of the input, block by block a start, deltas
 * token by token and a stop, then how it ended with the final usage, and its stop.
 */
export async function* streamMessage(message: Message, options: StreamOptions): AsyncGenerator<SseEvent> {
  const { signal, tokenDelayMs } = options;
  const { content, stopReason, stopSequence, usage } = message;
  yield typedEvent('message_start', { message: emptyMessage(message, usage.atStart) });
  while (options.pingsOnly) {
    await pause(Math.max(tokenDelayMs, MIN_PING_DELAY_MS), signal);
    yield PING;
  }
  let sent = 0;
  for (const [index, block] of content.entries()) {
    yield typedEvent('content_block_start', { index, content_block: emptyBlock(block) });
    if (index === 0) yield PING;
    for (const delta of deltasOf(block, message.preamble, options.tokenizer)) {
      await pause(tokenDelayMs, signal);
      yield typedEvent('content_block_delta', { index, delta });
      sent += 1;
      if (sent % DELTAS_PER_PING === 0) yield PING;
    }
    yield typedEvent('content_block_stop', { index });
  }
  yield typedEvent('message_delta', {
    delta: { stop_reason: stopReason, stop_sequence: stopSequence, stop_details: null },
    ...(usage.atEnd === undefined ? {} : { usage: usage.atEnd }),
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

function* deltasOf(block: AnswerBlock, preamble: string, tokenizer: Tokenizer): Generator<object> {
  if (block.type === 'text') {
    if (preamble !== '') yield { type: 'text_delta', text: preamble };
    const rest = block.text.slice(preamble.length);
    for (const { text } of tokenizer.pieces(rest)) yield { type: 'text_delta', text };
  } else if (block.type === 'thinking') {
    for (const { text } of tokenizer.pieces(block.thinking)) yield { type: 'thinking_delta', thinking: text };
    yield { type: 'signature_delta', signature: block.signature };
  } else if (block.type === 'tool_use') {
    yield { type: 'input_json_delta', partial_json: '' };
    for (const piece of cutAnywhere(JSON.stringify(block.input))) {
      yield { type: 'input_json_delta', partial_json: piece };
    }
  }
}
