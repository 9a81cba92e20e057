import { randomUUID } from 'node:crypto';
import type { ServedUnits } from '../billing/served-work.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import { countTokens, sumTokens, takeTokens } from '../text/tokenizer.ts';
import type { ChatRequest } from './chat-request.ts';
import { type ChatUsage, cachedTokens, chatUsage, promptTokens } from './chat-usage.ts';
import { planText } from './compose-answer.ts';
import type { PlannedCall } from './marked-calls.ts';
import { type AnswerContext, preambleOf } from './preamble.ts';
import { planToolCalls } from './tool-calls.ts';

export interface ToolCall {
  id: string;
  name: string;
  /** JSON text. */
  arguments: string;
}

export interface ChatChoice {
  /** Comes before the text. */
  preamble: string;
  text: string;
  /** If there are any, there is no text. */
  toolCalls: readonly ToolCall[];
  /** `stop`, `length` or `tool_calls`, unless the knob `stop_reason` says something else. */
  finishReason: string;
}

/** A complete answer, which may be streamed or not. */
export interface Completion {
  id: string;
  /** Unix seconds. */
  created: number;
  model: string;
  choices: ChatChoice[];
  usage: object | undefined;
  /** The tokens to bill. */
  billed: ServedUnits;
}

/** @param usageForm converts usage to the form of a server that differs from OpenAI */
export function planCompletion(
  request: ChatRequest,
  context: AnswerContext,
  usageForm: (usage: ChatUsage) => object = (usage) => usage,
): Completion {
  const { fault } = context;
  const preamble = preambleOf(context);
  const planned = Array.from({ length: request.n ?? 1 }, (_, index) => {
    return planChoice(request, index, fault, preamble);
  });
  const tokens = planned.reduce((sum, choice) => sum + choice.tokens, 0);
  const { reasoning_tokens: reasoning = 0 } = fault;
  const prompt = promptTokens(request);
  const cached = Math.min(cachedTokens(request, context), prompt);
  return {
    id: `chatcmpl-${randomUUID().replaceAll('-', '')}`,
    created: Math.floor(Date.now() / 1000),
    model: request.model,
    choices: planned.map(({ choice }) => choice),
    usage: spoilUsage(usageForm(chatUsage(prompt, tokens, cached, reasoning)), fault),
    billed: { input: prompt - cached, cachedInput: cached, output: tokens + reasoning },
  };
}

function planChoice(
  request: ChatRequest,
  index: number,
  fault: AnswerContext['fault'],
  preamble: string,
): { choice: ChatChoice; tokens: number } {
  const toolCalls = fault.content === undefined ? planToolCalls(request, index).map(toolCall) : [];
  if (toolCalls.length > 0) {
    const finishReason = fault.stop_reason ?? 'tool_calls';
    const tokens = sumTokens(toolCalls.flatMap((call) => [call.name, call.arguments]));
    return { choice: { preamble, text: '', toolCalls, finishReason }, tokens };
  }
  const whole = fault.content ?? planText(request, index);
  const limit = request.max_completion_tokens ?? request.max_tokens ?? undefined;
  const { text, tokens, isCut } = takeTokens(whole, limit);
  const finishReason = fault.stop_reason ?? (isCut ? 'length' : 'stop');
  return { choice: { preamble, text, toolCalls, finishReason }, tokens: tokens + countTokens(preamble) };
}

function toolCall({ name, input }: PlannedCall): ToolCall {
  const id = `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
  return { id, name, arguments: JSON.stringify(input) };
}
