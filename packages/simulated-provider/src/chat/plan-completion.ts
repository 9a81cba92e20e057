import { randomUUID } from 'node:crypto';
import type { Fault } from '../faults/fault-schema.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import { SeededChoice } from '../text/seeded-choice.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import { findTopic } from '../text/topic.ts';
import type { ChatRequest } from './chat-request.ts';
import { type ChatUsage, chatUsage, promptTokens, withReasoning } from './chat-usage.ts';
import { composeAnswer, lastQuestion } from './compose-answer.ts';
import { sampleJson } from './sample-json.ts';

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
  toolCall: ToolCall | undefined;
  finishReason: 'stop' | 'length' | 'tool_calls';
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
  const toolCall = fault.content === undefined ? planToolCall(request, index) : undefined;
  if (toolCall !== undefined) {
    const tokens = tokenizer.count(toolCall.name) + tokenizer.count(toolCall.arguments);
    return { choice: { preamble, text: '', toolCall, finishReason: 'tool_calls' }, tokens };
  }
  const whole = fault.content ?? planText(request, index);
  const limit = request.max_completion_tokens ?? request.max_tokens ?? undefined;
  const { text, tokens, isCut } = takeTokens(whole, limit, tokenizer);
  const finishReason = isCut ? 'length' : 'stop';
  return {
    choice: { preamble, text, toolCall: undefined, finishReason },
    tokens: tokens + (preamble === '' ? 0 : tokenizer.count(preamble)),
  };
}

function planText(request: ChatRequest, index: number): string {
  const answer = composeAnswer(request.messages, index);
  const format = request.response_format;
  const question = lastQuestion(request.messages);
  const topic = findTopic(question);
  if (format?.type === 'json_object') return JSON.stringify({ topic: topic.phrase ?? 'greeting', answer });
  if (format?.type !== 'json_schema') return answer;
  return JSON.stringify(
    sampleJson(format.json_schema?.schema, topic, new SeededChoice(`${index} ${question}`)),
  );
}

/** Plans a tool call if the request insists on one. A tool that need not be called is not called. */
function planToolCall({ messages, tool_choice, tools }: ChatRequest, index: number): ToolCall | undefined {
  const functions = (tools ?? []).flatMap((tool) => tool.function ?? []);
  const wanted = typeof tool_choice === 'object' ? tool_choice?.function?.name : undefined;
  const chosen = wanted === undefined ? functions[0] : functions.find(({ name }) => name === wanted);
  if (chosen === undefined || (wanted === undefined && tool_choice !== 'required')) return undefined;
  const question = lastQuestion(messages);
  const choice = new SeededChoice(`${index} ${question}`);
  const values = sampleJson(chosen.parameters ?? { type: 'object' }, findTopic(question), choice);
  return {
    id: `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
    name: chosen.name,
    arguments: JSON.stringify(values ?? {}),
  };
}

/** Takes the beginning of a text. A character of several tokens is left out rather than torn apart. */
function takeTokens(
  text: string,
  limit: number | undefined,
  tokenizer: Tokenizer,
): { text: string; tokens: number; isCut: boolean } {
  if (limit === undefined) return { text, tokens: tokenizer.count(text), isCut: false };
  let taken = '';
  let tokens = 0;
  for (const piece of tokenizer.pieces(text)) {
    if (tokens + piece.tokens > limit) return { text: taken, tokens: limit, isCut: true };
    taken += piece.text;
    tokens += piece.tokens;
  }
  return { text, tokens, isCut: false };
}
