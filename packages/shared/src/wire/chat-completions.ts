import { z } from 'zod';
import { readServiceTier } from '../billing/service-tier.ts';
import { CALLERS_NOTES } from './callers-notes.ts';
import { conversationStart } from './conversation-start.ts';
import { labelMembers, labelsIn, unlabelledNames } from './label-members.ts';
import { largest } from './largest.ts';
import { MediaCount, type MediaParts } from './media-parts.ts';
import { KnownMembers, requirePlainNames } from './member-spelling.ts';
import { isMembers } from './members.ts';
import { membersSomeRefuse } from './members-some-refuse.ts';
import { modelsNamed, requestedModels, requireModel } from './requested-models.ts';
import { streamIn, streamMembers } from './stream-options.ts';
import { PRICED_BY_RULE, unpricedOfChat } from './unpriced.ts';

/**
 * The request of POST /v1/chat/completions. The schema checks what the gateway needs (for routing, streaming,
 * metering) and lets every other field pass unchanged, so that new features of providers need no release of
 * the gateway.
 */

const MESSAGE_MEMBERS = new KnownMembers([
  'role',
  'content',
  'tool_calls',
  'function_call',
  'audio',
  'images',
]);
const PART_MEMBERS = new KnownMembers(['type']);

const contentPart = z.looseObject({ type: z.string() });

const message = z
  .looseObject({
    role: z.string().min(1),
    content: z
      .union([z.string(), z.array(contentPart)], 'expected a string or an array of content parts')
      .nullish(),
    tool_calls: z.array(z.looseObject({})).nullish(),
    function_call: z.looseObject({}).nullish(),
  })
  .check((context) => {
    const { audio, content, function_call, refusal, role, tool_calls } = context.value;
    requirePlainNames(MESSAGE_MEMBERS, context.issues, context.value, []);
    if (Array.isArray(content)) {
      for (const [index, part] of content.entries()) {
        requirePlainNames(PART_MEMBERS, context.issues, part, ['content', index]);
      }
    }
    if (content !== null && content !== undefined) return;
    // An earlier answer of the model may have no text, because it called tools, spoke, or refused.
    if (role === 'assistant' && (tool_calls?.length || function_call || audio || refusal)) return;
    context.issues.push({
      code: 'custom',
      path: ['content'],
      input: content,
      message:
        'content may be null or absent only in an assistant message that carries tool calls, ' +
        'audio or a refusal',
    });
  });

const tokenCount = z.int().min(1).nullish();

const request = z
  .looseObject({
    ...requestedModels,
    messages: z.array(message).min(1, 'must not be empty'),
    ...streamMembers,
    max_tokens: tokenCount,
    max_completion_tokens: tokenCount,
    n: z.int().min(1).max(128).nullish(),
    ...labelMembers,
  })
  .check(requireModel);

/** Checks the request, and extracts what the gateway itself needs. */
export const chatCompletionsRequest = request.transform((value) => ({
  ...modelsNamed(value),
  ...streamIn(value),
  /** The output limit of each choice, by either name; undefined: the model's own. */
  maxOutputTokens: largest(value.max_completion_tokens, value.max_tokens),
  choices: value.n ?? 1,
  /** Members that are changed for servers which refuse them. */
  refusedBySome: membersSomeRefuse(value, value.messages),
  ...mediaIn(value.messages),
  start: conversationStart(value.messages),
  /** Web searches: a chat with this option makes one for each choice. */
  webSearches: hasSearch(value.web_search_options) ? (value.n ?? 1) : 0,
  /** The size of the predicted text. Its tokens count as output even if the model drops them. */
  predictionBytes: value.prediction === undefined ? 0 : predictionBytes(value.prediction),
  /** The requested service tier, by `readServiceTier`; undefined: none. */
  serviceTier: readServiceTier(value.service_tier),
  /** Parameters that a paid model without a price for them refuses. */
  unpriced: unpricedOfChat(value),
  labels: labelsIn(value),
}));

/** The members that the gateway needs, or that have a price. */
export const CHAT_MEMBERS = new KnownMembers([
  ...unlabelledNames(request.shape),
  ...PRICED_BY_RULE,
  'prediction',
  CALLERS_NOTES,
]);

function hasSearch(options: unknown): boolean {
  return options !== undefined && options !== null;
}

export type ChatCompletionsRequest = z.infer<typeof chatCompletionsRequest>;

const TEXT_PARTS = new Set(['text', 'refusal']);

/** Returns true for an image, a recording or a file: any content part but text. */
export function isMediaPart({ type }: { type?: unknown }): boolean {
  return typeof type !== 'string' || !TEXT_PARTS.has(type);
}

function mediaIn(messages: readonly z.infer<typeof message>[]): MediaParts {
  const media = new MediaCount();
  for (const { audio, content, images } of messages) {
    // The recording of an earlier answer, given by its id.
    if (audio !== undefined && audio !== null) media.addFile();
    // Generated images of an earlier answer, or images in the form of Ollama.
    if (Array.isArray(images)) for (const image of images) media.addImage(dataIn(image));
    if (!Array.isArray(content)) continue;
    for (const part of content) if (isMediaPart(part)) addPart(media, part);
  }
  return media.result();
}

const IMAGE_PARTS: ReadonlySet<unknown> = new Set(['image_url', 'image', 'input_image']);
/** The parts of an answer that some providers take back. */
const REASONING_PARTS: ReadonlySet<unknown> = new Set([
  'thinking',
  'redacted_thinking',
  'reasoning',
  'reference',
]);

function addPart(media: MediaCount, part: z.infer<typeof contentPart>): void {
  if (REASONING_PARTS.has(part.type)) media.addText();
  else if (IMAGE_PARTS.has(part.type)) media.addImage(dataIn(part.image_url ?? part.image));
  else media.addFile(dataIn(part[part.type]));
}

/** Members of a part, or of the object in it, with a URL or base64. */
const DATA_MEMBERS = ['url', 'data', 'file_data', 'image_url'] as const;

/** Returns the URL or the base64 of a part. */
function dataIn(value: unknown): unknown {
  if (!isMembers(value)) return value;
  const name = DATA_MEMBERS.find((member) => value[member] !== undefined);
  return name === undefined ? undefined : dataIn(value[name]);
}

/**
 * Returns the size of a prediction. OpenAI's form is `{type: "content", content: text or parts}`. Whatever
 * the form is, its tokens are not more than the bytes of its JSON.
 */
function predictionBytes(prediction: unknown): number {
  return prediction === null ? 0 : Buffer.byteLength(JSON.stringify(prediction));
}

const tokens = z.int().min(0).max(1_000_000_000);

/** Ignores an absurd count of a part: its tokens then count as the rest of their whole. */
const part = tokens.nullish().catch(undefined);

/** The provider's usage. An absurd count fails the parse, and the usage is ignored. */
export const chatUsage = z.looseObject({
  prompt_tokens: tokens,
  completion_tokens: tokens,
  total_tokens: tokens.nullish(),
  prompt_tokens_details: z
    .looseObject({
      cached_tokens: tokens.nullish(),
      cache_write_tokens: part,
      audio_tokens: part,
      image_tokens: part,
    })
    .nullish(),
  /** Sent by Moonshot beside the details of the prompt. */
  cached_tokens: part,
  /** Sent by DeepSeek in place of the details of the prompt. */
  prompt_cache_hit_tokens: part,
  completion_tokens_details: z
    .looseObject({ reasoning_tokens: part, audio_tokens: part, image_tokens: part })
    .nullish()
    .catch(undefined),
});

export type ChatUsage = z.infer<typeof chatUsage>;
