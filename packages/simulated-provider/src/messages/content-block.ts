import { z } from 'zod';
import { anyObject, typed } from '../schemas/members.ts';
import { parseAs } from './explain-anthropic-issue.ts';

/** The blocks of messages, https://docs.claude.com/en/api/messages. Unknown members are refused. */

const word = z.string();
const text = word.nullish();
/** Further members, such as a scope, are accepted. */
const cacheControl = z.looseObject({
  type: z.literal('ephemeral'),
  ttl: z.enum(['5m', '1h'], "Input should be '5m' or '1h'").nullish(),
});
export type CacheControl = z.infer<typeof cacheControl>;
export const cacheable = { cache_control: cacheControl.nullish() };

const base64 = z.base64('invalid base64 data').min(1, 'invalid base64 data');
const urlSource = typed('url', { url: word.regex(/^https:\/\//, 'Only HTTPS URLs are supported.') });
const fileSource = typed('file', { file_id: word });

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
const imageType = z.enum(IMAGE_TYPES, `Input should be ${IMAGE_TYPES.map((type) => `'${type}'`).join(', ')}`);
const imageSource = z.discriminatedUnion('type', [
  typed('base64', { media_type: imageType, data: base64 }),
  urlSource,
  fileSource,
]);

const textBlock = typed('text', { text: word, citations: z.array(anyObject).nullish(), ...cacheable });
const image = typed('image', { source: imageSource, ...cacheable });

const documentSource = z.discriminatedUnion('type', [
  typed('base64', { media_type: z.literal('application/pdf'), data: base64 }),
  typed('text', { media_type: z.literal('text/plain'), data: word }),
  typed('content', {
    content: z.union([word, z.array(z.discriminatedUnion('type', [textBlock, image]))]),
  }),
  urlSource,
  fileSource,
]);
const document = typed('document', {
  source: documentSource,
  title: text,
  context: text,
  citations: anyObject.nullish(),
  ...cacheable,
});

const toolUse = typed('tool_use', {
  id: word.regex(/^[\w-]+$/, "String should match pattern '^[a-zA-Z0-9_-]+$'"),
  name: word.min(1),
  input: z.record(word, z.unknown(), 'Input should be a valid dictionary'),
  caller: anyObject.nullish(),
  ...cacheable,
});
const thinking = typed('thinking', { thinking: word, signature: word });
const redacted = typed('redacted_thinking', { data: word });

/** Accepts a list of blocks, or a text instead of a list with one text. */
function blocks<Block extends z.ZodType>(block: Block) {
  return z.preprocess(
    (content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content),
    z.array(block),
  );
}

const other = z.looseObject({ type: word, ...cacheable });
type OtherBlock = { type: 'other'; raw: z.infer<typeof other> };

/**
 * Parses blocks of some types strictly. All others belong to tools of the provider or to beta features, which
 * are not simulated, and are accepted as they are.
 */
function strictlyOneOf<Known extends z.ZodType>(types: readonly string[], known: Known) {
  return other.transform((value, context): z.output<Known> | OtherBlock => {
    if (!types.includes(value.type)) return { type: 'other', raw: value };
    return parseAs(known, value, [value.type], context) ?? z.NEVER;
  });
}

const toolResult = typed('tool_result', {
  tool_use_id: word,
  content: blocks(
    strictlyOneOf(['text', 'image', 'document'], z.discriminatedUnion('type', [textBlock, image, document])),
  ).nullish(),
  is_error: z.boolean().nullish(),
  ...cacheable,
});

export const contentBlocks = blocks(
  strictlyOneOf(
    ['text', 'image', 'document', 'tool_use', 'tool_result', 'thinking', 'redacted_thinking'],
    z.discriminatedUnion('type', [textBlock, image, document, toolUse, toolResult, thinking, redacted]),
  ),
);
export const systemBlocks = blocks(textBlock);

export type ContentBlock = z.infer<typeof contentBlocks>[number];
export type ToolResultBlock = Extract<ContentBlock, { type: 'tool_result' }>;
export type DocumentSource = z.infer<typeof documentSource>;

/** Returns the cache mark of a block, if it has one. */
export function cacheControlOf(block: ContentBlock): CacheControl | undefined {
  if (block.type === 'thinking' || block.type === 'redacted_thinking') return undefined;
  return (block.type === 'other' ? block.raw : block).cache_control ?? undefined;
}
