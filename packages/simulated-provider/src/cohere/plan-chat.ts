import { randomUUID } from 'node:crypto';
import type { ServedUnits } from '../billing/served-work.ts';
import type { ChatMessage, ChatRequest } from '../chat/chat-request.ts';
import { promptTokens } from '../chat/chat-usage.ts';
import { composeThinking } from '../chat/compose-answer.ts';
import { planCompletion, type ToolCall } from '../chat/plan-completion.ts';
import type { AnswerContext } from '../chat/preamble.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import { sumTokens } from '../text/tokenizer.ts';
import type { CohereChatRequest } from './cohere-chat-request.ts';

/** Tokens that Cohere puts before a prompt and does not bill. */
const UNBILLED_INPUT_TOKENS = 500;
const UNBILLED_OUTPUT_TOKENS = 3;

/** A complete answer, which may be streamed or not. */
export interface CohereChat {
  id: string;
  thinking: string;
  toolPlan: string;
  text: string;
  calls: readonly ToolCall[];
  finishReason: string;
  usage: object | undefined;
  /** The tokens to bill. */
  billed: ServedUnits;
}

const FINISH_REASONS: Readonly<Record<string, string>> = {
  stop: 'COMPLETE',
  length: 'MAX_TOKENS',
  tool_calls: 'TOOL_CALL',
};

export function planChat(request: CohereChatRequest, { credential, fault }: AnswerContext): CohereChat {
  // planCompletion must not apply the knob `usage`: it is applied to the usage of Cohere below.
  const { usage: _, ...others } = fault;
  const chat = convertToChat(request);
  const { choices } = planCompletion(chat, { credential, fault: others });
  const { finishReason = 'stop', preamble = '', text = '', toolCalls = [] } = choices[0] ?? {};
  // Cohere writes calls of functions without parameters as `null`.
  const calls = toolCalls.map((call) => (call.arguments === '{}' ? { ...call, arguments: 'null' } : call));
  const names = calls.map(({ name }) => name);
  // Reasoning models think unless the request disables it.
  const thinks = request.thinking ? request.thinking.type === 'enabled' : request.model.includes('reasoning');
  const thinking = thinks ? composeThinking(chat, calls) : '';
  const isForced = request.tool_choice === 'REQUIRED';
  const toolPlan = names.length === 0 || thinks || isForced ? '' : `I will use ${names.join(' and ')}.`;
  const written = [thinking, toolPlan, preamble + text, ...calls.flatMap((one) => [one.name, one.arguments])];
  const input_tokens = promptTokens(chat);
  const output_tokens = sumTokens(written);
  const usage = {
    billed_units: { input_tokens, output_tokens },
    tokens: {
      input_tokens: input_tokens + UNBILLED_INPUT_TOKENS,
      output_tokens: output_tokens + UNBILLED_OUTPUT_TOKENS,
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
    billed: { input: input_tokens, output: output_tokens },
  };
}

/** Converts to a chat completion, so that both APIs give the same answers. */
function convertToChat(request: CohereChatRequest): ChatRequest {
  const { max_tokens, messages, model, response_format: format, tool_choice, tools } = request;
  const schema = format?.json_schema;
  return {
    model,
    messages: messages.map((message): ChatMessage => {
      const calls = message.role === 'assistant' ? message.tool_calls : undefined;
      return {
        role: message.role,
        content: textOf(message.content),
        ...(calls === undefined ? {} : { tool_calls: calls }),
      };
    }),
    max_tokens,
    tools,
    tool_choice: tool_choice && (tool_choice === 'NONE' ? 'none' : 'required'),
    response_format:
      format &&
      (schema === undefined ? { type: format.type } : { type: 'json_schema', json_schema: { schema } }),
  };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part: unknown) =>
      typeof part === 'object' && part !== null && 'text' in part ? [String(part.text)] : [],
    )
    .join('\n');
}
