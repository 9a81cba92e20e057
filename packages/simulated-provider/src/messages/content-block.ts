import { z } from 'zod';
import { explainIssue } from './explain-issue.ts';

/**
 * The parts of messages, as https://docs.claude.com/en/api/messages describes them. Members that it does not
 * name are refused.
 */

/** Further members, such as a scope, are accepted. */
const cacheControl = z.looseObject({
  type: z.literal('ephemeral'),
  ttl: z.enum(['5m', '1h'], "Input should be '5m' or '1h'").nullish(),
});
export type CacheControl = z.infer<typeof cacheControl>;
export const cacheable = { cache_control: cacheControl.nullish() };

const base64 = z.base64('invalid base64 data').min(1, 'invalid base64 data');
const httpsUrl = z.string().regex(/^https:\/\//, 'Only HTTPS URLs are supported.');
const urlSource = z.strictObject({ type: z.literal('url'), url: httpsUrl });
const fileSource = z.strictObject({ type: z.literal('file'), file_id: z.string() });

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
const imageType = z.enum(IMAGE_TYPES, `Input should be ${IMAGE_TYPES.map((type) => `'${type}'`).join(', ')}`);
const imageSource = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('base64'), media_type: imageType, data: base64 }),
  urlSource,
  fileSource,
]);

const text = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  citations: z.array(z.looseObject({})).nullish(),
  ...cacheable,
});
const image = z.strictObject({ type: z.literal('image'), source: imageSource, ...cacheable });

const documentSource = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('base64'), media_type: z.literal('application/pdf'), data: base64 }),
  z.strictObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
  z.strictObject({
    type: z.literal('content'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, image]))]),
  }),
  urlSource,
  fileSource,
]);
const document = z.strictObject({
  type: z.literal('document'),
  source: documentSource,
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: z.looseObject({}).nullish(),
  ...cacheable,
});

const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[\w-]+$/, "String should match pattern '^[a-zA-Z0-9_-]+$'"),
  name: z.string().min(1),
  input: z.record(z.string(), z.unknown(), 'Input should be a valid dictionary'),
  caller: z.looseObject({}).nullish(),
  ...cacheable,
});
const thinking = z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() });
const redacted = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() });

/** A text may stand for a list with one text. */
function blocks<Block extends z.ZodType>(block: Block) {
  return z.preprocess(
    (content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content),
    z.array(block),
  );
}

const other = z.looseObject({ type: z.string(), ...cacheable });
type OtherBlock = { type: 'other'; raw: z.infer<typeof other> };

/**
 * Reads blocks of some types strictly. Any other one belongs to a tool of the provider or to a beta feature,
 * none of which is simulated, and is accepted as it is.
 */
function strictlyOneOf<Known extends z.ZodType>(types: readonly string[], known: Known) {
  return other.transform((value, context): z.output<Known> | OtherBlock => {
    if (!types.includes(value.type)) return { type: 'other', raw: value };
    const result = known.safeParse(value, { reportInput: true });
    if (result.success) return result.data;
    for (const issue of result.error.issues) {
      const { message, path } = explainIssue(issue);
      // The type of the block is a part of the path, as in Anthropic's messages.
      context.issues.push({ code: 'custom', input: value, message, path: [value.type, ...path] });
    }
    return z.NEVER;
  });
}

const toolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: blocks(
    strictlyOneOf(['text', 'image', 'document'], z.discriminatedUnion('type', [text, image, document])),
  ).nullish(),
  is_error: z.boolean().nullish(),
  ...cacheable,
});

export const contentBlocks = blocks(
  strictlyOneOf(
    ['text', 'image', 'document', 'tool_use', 'tool_result', 'thinking', 'redacted_thinking'],
    z.discriminatedUnion('type', [text, image, document, toolUse, toolResult, thinking, redacted]),
  ),
);
export const systemBlocks = blocks(text);

export type ContentBlock = z.infer<typeof contentBlocks>[number];
export type ToolResultBlock = Extract<ContentBlock, { type: 'tool_result' }>;
export type DocumentSource = z.infer<typeof documentSource>;

/** The mark that a block and all before it are to be kept, where there is one. */
export function cacheControlOf(block: ContentBlock): CacheControl | undefined {
  if (block.type === 'thinking' || block.type === 'redacted_thinking') return undefined;
  return (block.type === 'other' ? block.raw : block).cache_control ?? undefined;
}
