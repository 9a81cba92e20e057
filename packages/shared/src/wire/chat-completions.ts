import { z } from 'zod';
import { CALLERS_NOTES } from './callers-notes.ts';
import { KnownMembers, spellingMessage } from './member-spelling.ts';
import { PRICED_BY_RULE, unpricedOfChat } from './unpriced.ts';

/**
 * POST /v1/chat/completions. The schema checks what the gateway relies on (routing, streaming, metering)
 * and lets every other field pass untouched, so that new provider features need no release of ours.
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
const STREAM_MEMBERS = new KnownMembers(['include_usage']);

/** Names in a value that stand for others (see KnownMembers). @param at where the value stands */
function requirePlainNames(
  known: KnownMembers,
  issues: z.core.$ZodRawIssue[],
  value: object,
  at: PropertyKey[],
) {
  for (const name of Object.keys(value)) {
    const meant = known.meantBy(name);
    if (meant === undefined) continue;
    issues.push({ code: 'custom', path: [...at, name], input: value, message: spellingMessage(meant) });
  }
}

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
    // An earlier answer of the model may have no text when it called tools, spoke or refused instead.
    if (role === 'assistant' && (tool_calls?.length || function_call || audio || refusal)) return;
    context.issues.push({
      code: 'custom',
      path: ['content'],
      input: content,
      message:
        'content may be null or absent only in an assistant message that carries tool calls, audio or a refusal',
    });
  });

const tokenCount = z.int().min(1).nullish();

const request = z.looseObject({
  model: z.string().min(1),
  messages: z.array(message).min(1, 'must not be empty'),
  stream: z.boolean().nullish(),
  stream_options: z
    .looseObject({ include_usage: z.boolean().nullish() })
    .check(({ issues, value }) => requirePlainNames(STREAM_MEMBERS, issues, value, []))
    .nullish(),
  max_tokens: tokenCount,
  max_completion_tokens: tokenCount,
  n: z.int().min(1).max(128).nullish(),
});

/** Checks the request, and keeps of it what the gateway itself needs to know. */
export const chatCompletionsRequest = request.transform((value) => ({
  model: value.model,
  streamed: value.stream === true,
  includeUsage: value.stream_options?.include_usage === true,
  /** Of a stream, what the provider gets: usage is always asked for. As text: it may hold anything. */
  streamOptionsJson:
    value.stream === true ? JSON.stringify({ ...value.stream_options, include_usage: true }) : undefined,
  /** Per choice; undefined: the caller left it to the model. A provider may know one of both names. */
  maxOutputTokens: largest(value.max_completion_tokens, value.max_tokens),
  choices: value.n ?? 1,
  mediaParts: mediaParts(value.messages),
  /** Of text that the answer may hold: tokens of it that are not taken over are output all the same. */
  predictionBytes: value.prediction === undefined ? 0 : predictionBytes(value.prediction),
  /** What a paid model refuses. */
  unpriced: unpricedOfChat(value),
}));

/** What the gateway relies on, or what has a price. */
export const CHAT_MEMBERS = new KnownMembers([
  ...Object.keys(request.shape),
  ...PRICED_BY_RULE,
  'prediction',
  CALLERS_NOTES,
]);

export type ChatCompletionsRequest = z.infer<typeof chatCompletionsRequest>;

function largest(...given: (number | null | undefined)[]): number | undefined {
  const counts = given.filter((count) => typeof count === 'number');
  return counts.length === 0 ? undefined : Math.max(...counts);
}

const TEXT_PARTS = new Set(['text', 'refusal']);

/** Whether a part of a message's content is an image, a recording or a file: all that is no text. */
export function isMediaPart({ type }: { type?: unknown }): boolean {
  return typeof type !== 'string' || !TEXT_PARTS.has(type);
}

/**
 * Images, audio and files. Their length in the request says little of their tokens: a URL or a file id stands
 * for something of any size, and a well-compressed image is more tokens than bytes.
 */
function mediaParts(messages: readonly z.infer<typeof message>[]): number {
  let count = 0;
  for (const { audio, content, images } of messages) {
    // The recording of an earlier answer, by its id; and pictures as Ollama takes them.
    if (audio !== undefined && audio !== null) count++;
    if (Array.isArray(images)) count += images.length;
    if (!Array.isArray(content)) continue;
    for (const part of content) if (isMediaPart(part)) count++;
  }
  return count;
}

/** OpenAI's `{type: "content", content: text or parts}`; its tokens are no more than its JSON. */
function predictionBytes(prediction: unknown): number {
  return prediction === null ? 0 : Buffer.byteLength(JSON.stringify(prediction));
}

const tokens = z.int().min(0).max(1_000_000_000);

/** A provider's own count. Anything absurd fails the parse, and is then not believed. */
export const chatUsage = z.looseObject({
  prompt_tokens: tokens,
  completion_tokens: tokens,
  total_tokens: tokens.nullish(),
  prompt_tokens_details: z.looseObject({ cached_tokens: tokens.nullish() }).nullish(),
});

export type ChatUsage = z.infer<typeof chatUsage>;
