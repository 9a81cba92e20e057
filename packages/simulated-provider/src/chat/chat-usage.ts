import { countTokens } from '../text/tokenizer.ts';
import type { ChatMessage, ChatRequest } from './chat-request.ts';
import type { AnswerContext } from './preamble.ts';

/** OpenAI's cookbook: each message, its name and the start of the answer cost this besides their text. */
const TOKENS_PER_MESSAGE = 3;
const TOKENS_PER_NAME = 1;
const TOKENS_FOR_ANSWER_START = 3;
const TOKENS_PER_IMAGE = 85;

export function promptTokens(request: ChatRequest): number {
  return chatBlocks(request).reduce((sum, { tokens }) => sum + tokens, TOKENS_FOR_ANSWER_START);
}

/** Returns how many tokens of the prompt come from the cache. */
export function cachedTokens(
  request: ChatRequest,
  { credential, fault, promptCache }: AnswerContext,
): number {
  const prompt = { credential, model: request.model, blocks: chatBlocks(request) };
  const read = promptCache?.useAutomatically(prompt) ?? 0;
  return fault.cached_tokens ?? read;
}

/** Splits a prompt into its tools and messages. */
function chatBlocks({ messages, tools }: ChatRequest) {
  return [
    { content: JSON.stringify(tools), tokens: jsonTokens(tools) },
    ...messages.map((message) => ({ content: JSON.stringify(message), tokens: messageTokens(message) })),
  ];
}

function messageTokens({ content, name, role, tool_calls }: ChatMessage): number {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  const ofParts = parts.map(({ text }) => (text === undefined ? TOKENS_PER_IMAGE : countTokens(text)));
  const ofName = name ? TOKENS_PER_NAME + countTokens(name) : 0;
  const others = TOKENS_PER_MESSAGE + countTokens(role) + ofName + jsonTokens(tool_calls);
  return ofParts.reduce((sum, tokens) => sum + tokens, others);
}

function jsonTokens(values: readonly object[] | null | undefined): number {
  return values?.length ? countTokens(JSON.stringify(values)) : 0;
}

/**
 * @param cached number of the prompt's tokens that came from a cache; at most the whole prompt counts
 * @param reasoning counted as xAI does: in the total, but not in the tokens of the completion
 */
export function chatUsage(prompt: number, completion: number, cached: number, reasoning: number) {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion + reasoning,
    prompt_tokens_details: { cached_tokens: Math.min(cached, prompt), audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
  };
}

export type ChatUsage = ReturnType<typeof chatUsage>;
