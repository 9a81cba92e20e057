import { countPages, countTokens, TOKENS_PER_PAGE } from '../text/tokenizer.ts';
import {
  type CacheControl,
  type ContentBlock,
  cacheControlOf,
  type DocumentSource,
} from './content-block.ts';
import type { MessagesRequest } from './messages-request.ts';

/** A part of a prompt, in the order in which prompts are cached: tools, system, messages. */
export interface PromptBlock {
  /** The block without its cache mark. */
  content: string;
  tokens: number;
  /** How long the prompt up to this block is cached, if the block is marked. */
  ttl: '5m' | '1h' | undefined;
}

const TOKENS_PER_MESSAGE = 3;
/** About what Anthropic counts for a picture of one megapixel. */
const TOKENS_PER_IMAGE = 1_400;

export function countPrompt(request: MessagesRequest): number {
  return promptBlocks(request).reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Splits a prompt into blocks and counts their tokens. */
export function promptBlocks({ cache_control, messages, system, tools }: MessagesRequest): PromptBlock[] {
  const blocks = [
    ...(tools ?? []).map((tool): PromptBlock => {
      const content = withoutMark(tool);
      return { content, tokens: countTokens(content), ttl: ttlOf(tool.cache_control) };
    }),
    ...(system ?? []).map(({ cache_control: mark, text }) => {
      return { content: `system ${text}`, tokens: countTokens(text), ttl: ttlOf(mark) };
    }),
    ...messages.flatMap(({ content, role }) =>
      content.map((block, position) => {
        const isFirst = position === 0;
        const tokens = blockTokens(block) + (isFirst ? TOKENS_PER_MESSAGE : 0);
        const ttl = ttlOf(cacheControlOf(block));
        return { content: `${isFirst ? role : ''} ${withoutMark(block)}`, tokens, ttl };
      }),
    ),
  ];
  const last = blocks.at(-1);
  // A mark on the whole request counts for its last block.
  if (last !== undefined) last.ttl ??= ttlOf(cache_control);
  return blocks;
}

function withoutMark(block: object): string {
  return JSON.stringify({ ...block, cache_control: undefined });
}

function ttlOf(mark: CacheControl | null | undefined): PromptBlock['ttl'] {
  return mark ? (mark.ttl ?? '5m') : undefined;
}

function blockTokens(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
      return countTokens(block.text);
    case 'image':
      return TOKENS_PER_IMAGE;
    case 'document':
      return documentTokens(block.source);
    case 'tool_use':
      return countTokens(block.name) + countTokens(JSON.stringify(block.input));
    case 'tool_result':
      return (block.content ?? []).reduce((sum, part) => sum + blockTokens(part), TOKENS_PER_MESSAGE);
    case 'thinking':
      return countTokens(block.thinking);
    case 'redacted_thinking':
      return TOKENS_PER_MESSAGE;
    default:
      return countTokens(JSON.stringify(block.raw));
  }
}

function documentTokens(source: DocumentSource): number {
  if (source.type === 'text') return countTokens(source.data);
  if (source.type === 'base64') return TOKENS_PER_PAGE * countPages(source.data);
  if (source.type !== 'content') return TOKENS_PER_PAGE;
  if (typeof source.content === 'string') return countTokens(source.content);
  return source.content.reduce((sum, part) => sum + blockTokens(part), 0);
}
