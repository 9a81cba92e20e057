import type { Tokenizer } from '../text/tokenizer.ts';
import type { ChatMessage, ChatRequest } from './chat-request.ts';

export interface ChatUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details: { cached_tokens: number; audio_tokens: number };
  completion_tokens_details: { reasoning_tokens: number; audio_tokens: number };
}

/** OpenAI's cookbook: a message, its name and the start of the answer cost this besides their text. */
const TOKENS_PER_MESSAGE = 3;
const TOKENS_PER_NAME = 1;
const TOKENS_FOR_ANSWER_START = 3;
const TOKENS_PER_IMAGE = 85;

export function promptTokens({ messages, tools }: ChatRequest, tokenizer: Tokenizer): number {
  const ofMessages = messages.reduce((sum, message) => sum + messageTokens(message, tokenizer), 0);
  const ofTools = tools?.length ? tokenizer.count(JSON.stringify(tools)) : 0;
  return ofMessages + ofTools + TOKENS_FOR_ANSWER_START;
}

function messageTokens({ content, name, role, tool_calls }: ChatMessage, tokenizer: Tokenizer): number {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  return (
    TOKENS_PER_MESSAGE +
    tokenizer.count(role) +
    (name ? TOKENS_PER_NAME + tokenizer.count(name) : 0) +
    (tool_calls?.length ? tokenizer.count(JSON.stringify(tool_calls)) : 0) +
    parts.reduce(
      (sum, part) => sum + (part.text === undefined ? TOKENS_PER_IMAGE : tokenizer.count(part.text)),
      0,
    )
  );
}

/** @param cached how many of the prompt's tokens came from a cache; at most all of them are counted */
export function chatUsage(prompt: number, completion: number, cached: number): ChatUsage {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: Math.min(cached, prompt), audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
}

/** Adds reasoning tokens as xAI counts them: in the total, but not in the tokens of the completion. */
export function withReasoning(usage: ChatUsage, reasoning: number): ChatUsage {
  return {
    ...usage,
    total_tokens: usage.total_tokens + reasoning,
    completion_tokens_details: { ...usage.completion_tokens_details, reasoning_tokens: reasoning },
  };
}
