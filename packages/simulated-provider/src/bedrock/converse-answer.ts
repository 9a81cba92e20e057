import { dataEvent, type SseEvent } from '../answers/sse-event.ts';
import { textPieces } from '../chat/preamble.ts';
import type { MessageUsage } from '../messages/message-usage.ts';
import type { AnswerBlock, Message } from '../messages/plan-message.ts';
import { cutAnywhere } from '../text/cut-anywhere.ts';

/** The body of an answer that is not streamed. */
export function converseBody(message: Message, serviceTier: string): object {
  const { content, usage } = message;
  return {
    metrics: { latencyMs: 1 },
    serviceTier: { type: serviceTier },
    output: { message: { role: 'assistant', content: content.map(blockOf) } },
    stopReason: stopReasonOf(message),
    usage: usage.whole && usageOf(usage.whole),
  };
}

/** Streams as Bedrock does: a text begins without a start, and the usage comes after the end. */
export function* streamConverse(message: Message, serviceTier: string): Generator<SseEvent> {
  yield event('messageStart', { role: 'assistant' });
  for (const [contentBlockIndex, block] of message.content.entries()) {
    if (block.type === 'tool_use') {
      const start = { toolUse: { toolUseId: block.id, name: block.name } };
      yield event('contentBlockStart', { contentBlockIndex, start });
    }
    for (const delta of deltasOf(block, message.preamble)) {
      yield event('contentBlockDelta', { contentBlockIndex, delta }, 'token');
    }
    yield event('contentBlockStop', { contentBlockIndex });
  }
  yield event('messageStop', { stopReason: stopReasonOf(message) });
  const { whole } = message.usage;
  if (whole === undefined) return;
  const tier = { type: serviceTier };
  yield event('metadata', { usage: usageOf(whole), metrics: { latencyMs: 1 }, serviceTier: tier });
}

function* deltasOf(block: AnswerBlock, preamble: string): Generator<object> {
  switch (block.type) {
    case 'text':
      for (const text of textPieces(block.text, preamble)) yield { text };
      return;
    case 'thinking':
      for (const text of textPieces(block.thinking, '')) yield { reasoningContent: { text } };
      yield { reasoningContent: { signature: block.signature } };
      return;
    case 'redacted_thinking':
      yield blockOf(block);
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
  return stopReason === 'refusal' ? 'guardrail_intervened' : stopReason;
}

function usageOf(usage: MessageUsage): object {
  const { cache_creation, cache_creation_input_tokens, cache_read_input_tokens } = usage;
  const { input_tokens: inputTokens, output_tokens: outputTokens } = usage;
  const written = [
    { inputTokens: cache_creation.ephemeral_1h_input_tokens, ttl: '1h' },
    { inputTokens: cache_creation.ephemeral_5m_input_tokens, ttl: '5m' },
  ];
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens + cache_creation_input_tokens + cache_read_input_tokens,
    cacheReadInputTokens: cache_read_input_tokens,
    cacheWriteInputTokens: cache_creation_input_tokens,
    cacheDetails: written.filter((detail) => detail.inputTokens !== 0),
  };
}

function event(type: string, fields: object, pace?: SseEvent['pace']): SseEvent {
  return { event: type, ...dataEvent(fields, pace) };
}
