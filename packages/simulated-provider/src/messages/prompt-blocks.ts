import { pagesOf, TOKENS_PER_PAGE } from '../text/pdf-pages.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import {
  type CacheControl,
  type ContentBlock,
  cacheControlOf,
  type DocumentSource,
} from './content-block.ts';
import type { MessagesRequest } from './messages-request.ts';

/** A part of a prompt, in the order in which prompts are cached: tools, system, messages. */
export interface PromptBlock {
  /** All that it consists of, except for its mark. */
  content: string;
  tokens: number;
  /** How long all up to this block is to be kept, where it is marked. */
  ttl: '5m' | '1h' | undefined;
}

const TOKENS_PER_MESSAGE = 3;
/** About what a picture of a megapixel costs. */
const TOKENS_PER_IMAGE = 1_400;

/** Cuts a prompt into its parts and counts their tokens. */
export function promptBlocks(request: MessagesRequest, tokenizer: Tokenizer): PromptBlock[] {
  const { cache_control, messages, system, tools } = request;
  const plain = (block: object, mark: CacheControl | null | undefined): PromptBlock => {
    const content = JSON.stringify({ ...block, cache_control: undefined });
    return { content, tokens: tokenizer.count(content), ttl: ttlOf(mark) };
  };
  const blocks = [
    ...(tools ?? []).map((tool) => plain(tool, tool.cache_control)),
    ...(system ?? []).map(({ cache_control: mark, text }) => {
      return { content: `system ${text}`, tokens: tokenizer.count(text), ttl: ttlOf(mark) };
    }),
    ...messages.flatMap(({ content, role }) =>
      content.map((block, position): PromptBlock => {
        const mark = cacheControlOf(block);
        const bare = JSON.stringify({ ...block, cache_control: undefined });
        const tokens = blockTokens(block, tokenizer) + (position === 0 ? TOKENS_PER_MESSAGE : 0);
        return { content: `${position === 0 ? role : ''} ${bare}`, tokens, ttl: ttlOf(mark) };
      }),
    ),
  ];
  const last = blocks.at(-1);
  // A mark of the whole request is one on its last block.
  if (last !== undefined) last.ttl ??= ttlOf(cache_control);
  return blocks;
}

function ttlOf(mark: CacheControl | null | undefined): PromptBlock['ttl'] {
  return mark === null || mark === undefined ? undefined : (mark.ttl ?? '5m');
}

function blockTokens(block: ContentBlock, tokenizer: Tokenizer): number {
  switch (block.type) {
    case 'text':
      return tokenizer.count(block.text);
    case 'image':
      return TOKENS_PER_IMAGE;
    case 'document':
      return documentTokens(block.source, tokenizer);
    case 'tool_use':
      return tokenizer.count(block.name) + tokenizer.count(JSON.stringify(block.input));
    case 'tool_result':
      return (block.content ?? []).reduce((sum, part) => {
        const isRead = part.type === 'text' || part.type === 'image' || part.type === 'document';
        return sum + (isRead ? blockTokens(part, tokenizer) : tokenizer.count(JSON.stringify(part.raw)));
      }, TOKENS_PER_MESSAGE);
    case 'thinking':
      return tokenizer.count(block.thinking);
    case 'redacted_thinking':
      return TOKENS_PER_MESSAGE;
    default:
      return tokenizer.count(JSON.stringify(block.raw));
  }
}

function documentTokens(source: DocumentSource, tokenizer: Tokenizer): number {
  if (source.type === 'text') return tokenizer.count(source.data);
  if (source.type === 'base64') return TOKENS_PER_PAGE * pagesOf(source.data);
  if (source.type !== 'content') return TOKENS_PER_PAGE;
  const parts = typeof source.content === 'string' ? [] : source.content;
  const ofText = typeof source.content === 'string' ? tokenizer.count(source.content) : 0;
  return parts.reduce((sum, part) => sum + blockTokens(part, tokenizer), ofText);
}
