import { randomUUID } from 'node:crypto';
import type { Fault } from '../faults/fault-schema.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import { takeTokens } from '../text/take-tokens.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import type { ChatRequest } from './chat-request.ts';
import { type ChatUsage, chatUsage, promptTokens, withReasoning } from './chat-usage.ts';
import { planText } from './plan-text.ts';
import type { PlannedCall } from './planned-call.ts';
import { planToolCalls } from './tool-calls.ts';

export interface ToolCall {
  id: string;
  name: string;
  /** JSON text. */
  arguments: string;
}

export interface ChatChoice {
  /** Sent in one piece before the text: what the knob `echo_credential` asks for. */
  preamble: string;
  text: string;
  /** When there are any, they stand in the place of a text. */
  toolCalls: readonly ToolCall[];
  /** `stop`, `length` or `tool_calls`, unless the knob `stop_reason` says something else. */
  finishReason: string;
}

/** A complete answer; whether it is streamed is decided later. */
export interface Completion {
  id: string;
  /** Unix seconds. */
  created: number;
  model: string;
  choices: ChatChoice[];
  usage: ChatUsage | undefined;
}

export interface CompletionOptions {
  fault: Fault;
  credential: string | undefined;
  tokenizer: Tokenizer;
}

export function planCompletion(request: ChatRequest, options: CompletionOptions): Completion {
  const { fault, tokenizer } = options;
  const planned = Array.from({ length: request.n ?? 1 }, (_, index) => planChoice(request, index, options));
  const completionTokens = planned.reduce((sum, { tokens }) => sum + tokens, 0);
  const counted = chatUsage(promptTokens(request, tokenizer), completionTokens, fault.cached_tokens ?? 0);
  const usage = withReasoning(counted, fault.reasoning_tokens ?? 0);
  return {
    id: `chatcmpl-${randomUUID().replaceAll('-', '')}`,
    created: Math.floor(Date.now() / 1000),
    model: request.model,
    choices: planned.map(({ choice }) => choice),
    usage: spoilUsage(usage, fault),
  };
}

interface PlannedChoice {
  choice: ChatChoice;
  tokens: number;
}

function planChoice(request: ChatRequest, index: number, options: CompletionOptions): PlannedChoice {
  const { credential, fault, tokenizer } = options;
  const preamble = fault.echo_credential ? `You called me with ${credential ?? 'no credential'}. ` : '';
  const toolCalls = fault.content === undefined ? planToolCalls(request, index).map(toolCall) : [];
  if (toolCalls.length > 0) {
    const tokens = toolCalls.reduce((sum, call) => {
      return sum + tokenizer.count(call.name) + tokenizer.count(call.arguments);
    }, 0);
    const finishReason = fault.stop_reason ?? 'tool_calls';
    return { choice: { preamble, text: '', toolCalls, finishReason }, tokens };
  }
  const whole = fault.content ?? planText(request, index);
  const limit = request.max_completion_tokens ?? request.max_tokens ?? undefined;
  const { text, tokens, isCut } = takeTokens(whole, limit, tokenizer);
  const finishReason = fault.stop_reason ?? (isCut ? 'length' : 'stop');
  return {
    choice: { preamble, text, toolCalls, finishReason },
    tokens: tokens + (preamble === '' ? 0 : tokenizer.count(preamble)),
  };
}

function toolCall({ name, input }: PlannedCall): ToolCall {
  const id = `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
  return { id, name, arguments: JSON.stringify(input) };
}
