import { randomUUID } from 'node:crypto';
import { promptTokens } from '../chat/chat-usage.ts';
import { composeThinking } from '../chat/compose-thinking.ts';
import { type CompletionOptions, planCompletion, type ToolCall } from '../chat/plan-completion.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import { asChatRequest } from './as-chat-request.ts';
import type { CohereChatRequest } from './chat-request.ts';

/** Tokens that Cohere puts before a prompt and does not bill. */
const UNBILLED_INPUT_TOKENS = 500;
const UNBILLED_OUTPUT_TOKENS = 3;

/** A complete answer; whether it is streamed is decided later. */
export interface CohereChat {
  id: string;
  thinking: string;
  toolPlan: string;
  text: string;
  calls: readonly ToolCall[];
  finishReason: string;
  usage: object | undefined;
}

const FINISH_REASONS: Readonly<Record<string, string>> = {
  stop: 'COMPLETE',
  length: 'MAX_TOKENS',
  tool_calls: 'TOOL_CALL',
};

export function planChat(request: CohereChatRequest, options: CompletionOptions): CohereChat {
  const { fault, tokenizer } = options;
  const { usage: _spoiledBelow, ...unspoiled } = fault;
  const chat = asChatRequest(request);
  const { choices } = planCompletion(chat, { ...options, fault: unspoiled });
  const { finishReason = 'stop', preamble = '', text = '', toolCalls = [] } = choices[0] ?? {};
  const calls = toolCalls.map((call) => ({ ...call, arguments: nullIfEmpty(call.arguments) }));
  const names = calls.map(({ name }) => name);
  // Models that are made for it think unless they are told not to.
  const thinks =
    (request.thinking?.type ?? (request.model.includes('reasoning') ? 'enabled' : '')) === 'enabled';
  const thinking = thinks
    ? composeThinking(
        chat,
        names.map((name) => ({ name, input: {} })),
      )
    : '';
  const isForced = request.tool_choice === 'REQUIRED';
  const toolPlan = names.length === 0 || thinks || isForced ? '' : `I will use ${names.join(' and ')}.`;
  const written = [thinking, toolPlan, preamble + text, ...calls.flatMap((one) => [one.name, one.arguments])];
  const output = written.reduce((sum, piece) => sum + tokenizer.count(piece), 0);
  const input = promptTokens(chat, tokenizer);
  const usage = {
    billed_units: { input_tokens: input, output_tokens: output },
    tokens: {
      input_tokens: input + UNBILLED_INPUT_TOKENS,
      output_tokens: output + UNBILLED_OUTPUT_TOKENS,
    },
    cached_tokens: fault.cached_tokens ?? 0,
  };
  return {
    id: randomUUID(),
    thinking,
    toolPlan,
    text: preamble + text,
    calls,
    finishReason: fault.stop_reason ?? FINISH_REASONS[finishReason] ?? 'COMPLETE',
    usage: spoilUsage(usage, fault),
  };
}

/** So it writes calls of functions without parameters. */
function nullIfEmpty(written: string): string {
  return written === '{}' ? 'null' : written;
}
