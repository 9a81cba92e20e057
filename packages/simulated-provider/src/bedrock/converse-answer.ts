import type { SseEvent } from '../answers/sse-event.ts';
import { type ProviderExchange, pause } from '../http/exchange.ts';
import type { MessageUsage } from '../messages/message-usage.ts';
import type { AnswerBlock, Message } from '../messages/plan-message.ts';
import { cutAnywhere } from '../text/cut-anywhere.ts';
import type { Tokenizer } from '../text/tokenizer.ts';

const STOP_REASONS: Readonly<Record<string, string>> = { refusal: 'guardrail_intervened' };

/** The body of an answer that is not streamed. */
export function converseBody(message: Message): object {
  const { content, usage } = message;
  return {
    metrics: { latencyMs: 1 },
    output: { message: { role: 'assistant', content: content.map(blockOf) } },
    stopReason: stopReasonOf(message),
    ...(usage.whole === undefined ? {} : { usage: usageOf(usage.whole) }),
  };
}

/** A stream as Bedrock sends it: a text begins without a start, and the usage comes after the end. */
export async function* streamConverse(
  message: Message,
  { signal, tokenDelayMs }: Pick<ProviderExchange, 'signal' | 'tokenDelayMs'>,
  tokenizer: Tokenizer,
): AsyncGenerator<SseEvent> {
  yield event('messageStart', { role: 'assistant' });
  for (const [contentBlockIndex, block] of message.content.entries()) {
    if (block.type === 'tool_use') {
      const start = { toolUse: { toolUseId: block.id, name: block.name } };
      yield event('contentBlockStart', { contentBlockIndex, start });
    }
    for (const delta of deltasOf(block, message.preamble, tokenizer)) {
      await pause(tokenDelayMs, signal);
      yield event('contentBlockDelta', { contentBlockIndex, delta });
    }
    yield event('contentBlockStop', { contentBlockIndex });
  }
  yield event('messageStop', { stopReason: stopReasonOf(message) });
  const { whole } = message.usage;
  if (whole !== undefined) yield event('metadata', { usage: usageOf(whole), metrics: { latencyMs: 1 } });
}

function* deltasOf(block: AnswerBlock, preamble: string, tokenizer: Tokenizer): Generator<object> {
  switch (block.type) {
    case 'text':
      if (preamble !== '') yield { text: preamble };
      for (const { text } of tokenizer.pieces(block.text.slice(preamble.length))) yield { text };
      return;
    case 'thinking':
      for (const { text } of tokenizer.pieces(block.thinking)) yield { reasoningContent: { text } };
      yield { reasoningContent: { signature: block.signature } };
      return;
    case 'redacted_thinking':
      yield { reasoningContent: { redactedContent: block.data } };
      return;
    case 'tool_use':
      for (const input of cutAnywhere(JSON.stringify(block.input))) yield { toolUse: { input } };
  }
}

function blockOf(block: AnswerBlock): object {
  switch (block.type) {
    case 'text':
      return { text: block.text };
    case 'thinking':
      return { reasoningContent: { reasoningText: { text: block.thinking, signature: block.signature } } };
    case 'redacted_thinking':
      return { reasoningContent: { redactedContent: block.data } };
    case 'tool_use':
      return { toolUse: { toolUseId: block.id, name: block.name, input: block.input } };
  }
}

function stopReasonOf({ stopReason }: Message): string {
  return STOP_REASONS[stopReason] ?? stopReason;
}

function usageOf(usage: MessageUsage): object {
  const { cache_creation, cache_creation_input_tokens, cache_read_input_tokens } = usage;
  const { input_tokens: inputTokens, output_tokens: outputTokens } = usage;
  const { ephemeral_1h_input_tokens: for1h, ephemeral_5m_input_tokens: for5m } = cache_creation;
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens + cache_creation_input_tokens + cache_read_input_tokens,
    cacheReadInputTokens: cache_read_input_tokens,
    cacheWriteInputTokens: cache_creation_input_tokens,
    cacheDetails: [
      ...(for1h === 0 ? [] : [{ inputTokens: for1h, ttl: '1h' }]),
      ...(for5m === 0 ? [] : [{ inputTokens: for5m, ttl: '5m' }]),
    ],
  };
}

function event(type: string, fields: object): SseEvent {
  return { event: type, data: JSON.stringify(fields) };
}
