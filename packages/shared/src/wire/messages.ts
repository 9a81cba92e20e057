import { z } from 'zod';
import { readServiceTier } from '../billing/service-tier.ts';
import { conversationStart } from './conversation-start.ts';
import {
  endUserOfMetadata,
  hasAtMost,
  labelMembers,
  labelsIn,
  MAX_END_USER,
  unlabelledNames,
} from './label-members.ts';
import { MediaCount, type MediaParts } from './media-parts.ts';
import { KnownMembers } from './member-spelling.ts';
import { isMembers, type Members } from './members.ts';
import { defersTools, hasOwnApiMembers } from './own-api-members.ts';
import { modelsNamed, requestedModels, requireModel } from './requested-models.ts';
import { MAX_STORED_TOKENS, MAX_USES, TOKENS_OF_USE, USUAL_USES } from './server-tools.ts';
import { unpricedOfMessages } from './unpriced.ts';

/**
 * The request of POST /v1/messages, Anthropic's API. The schema checks what the gateway needs (for routing,
 * streaming, metering) and lets every other field pass unchanged.
 */

const block = z.looseObject({ type: z.string() });
const content = z.union([z.string(), z.array(block)], 'expected a string or an array of content blocks');

const message = z
  .looseObject({ role: z.string().min(1), content: content.optional() })
  .check(({ issues, value }) => {
    // A system message may have settings alone, such as `output_config`.
    if (value.content !== undefined || value.role === 'system') return;
    const text = 'expected a string or an array of content blocks';
    issues.push({ code: 'custom', path: ['content'], input: value.content, message: text });
  });

const shared = {
  ...requestedModels,
  messages: z.array(message).min(1, 'must not be empty'),
  system: content.nullish(),
  tools: z.array(z.looseObject({})).nullish(),
};

const metadata = z.looseObject({
  user_id: z
    .string()
    .refine(
      (userId) => hasAtMost(endUserOfMetadata(userId), MAX_END_USER),
      `may have at most ${MAX_END_USER} characters`,
    )
    .nullish(),
});

const request = z
  .looseObject({
    ...shared,
    max_tokens: z.int().min(0),
    stream: z.boolean().nullish(),
    metadata: metadata.nullish(),
    ...labelMembers,
  })
  .check(requireModel);

/** Checks the request, and extracts what the gateway itself needs. */
export const messagesRequest = request.transform((value) => ({
  ...modelsNamed(value),
  streamed: value.stream === true,
  hasOwnApiMembers: hasOwnApiMembers(value),
  defersTools: defersTools(value),
  maxOutputTokens: fallbackLimits(value.fallbacks).reduce(
    (max, limit) => Math.max(max, limit),
    value.max_tokens,
  ),
  /** Chat Completions can set these; a message always has one choice and no prediction. */
  choices: 1,
  predictionBytes: 0,
  ...mediaIn(value.messages),
  start: conversationStart(value.messages, value.system),
  toolNames: toolNamesToShorten(value.tools ?? []),
  webSearches: usesOf(value.tools ?? [], /^web_search_/),
  toolCalls: usesOf(value.tools ?? [], /^code_execution_/),
  /** Reserved input tokens beyond the body: results of tools that the provider runs, and a stored thread. */
  broughtTokens:
    TOKENS_OF_USE *
      (usesOf(value.tools ?? [], READING_TOOLS) +
        USUAL_USES * (Array.isArray(value.mcp_servers) ? value.mcp_servers.length : 0)) +
    (value.thread === undefined || value.thread === null ? 0 : MAX_STORED_TOKENS),
  /** The requested service tier, by `readServiceTier`; undefined: none. */
  serviceTier: readServiceTier(value.service_tier),
  /** Parameters that a paid model without a price for them refuses. */
  unpriced: unpricedOfMessages(value),
  labels: labelsIn(value, value.metadata?.user_id ? endUserOfMetadata(value.metadata.user_id) : undefined),
}));

/** A name that providers of other APIs accept. */
const SHORT_NAME = /^[\w-]{1,64}$/;

/**
 * Returns the names of all tools if one of them is too long for providers of other APIs, else none. Claude
 * Code sends names of up to 128 characters for tools of MCP servers.
 */
export function toolNamesToShorten(tools: readonly Record<string, unknown>[]): readonly string[] {
  const names = tools.flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  return names.every((name) => SHORT_NAME.test(name)) ? [] : names;
}

export type MessagesRequest = z.infer<typeof messagesRequest>;

const thinking = z.looseObject({ budget_tokens: z.int().min(0) });
const countRequest = z.looseObject(shared).check(requireModel);

/** The request of POST /v1/messages/count_tokens: a Messages request without output settings. */
export const countTokensRequest = countRequest.transform((value) => ({
  ...modelsNamed(value),
  streamed: false,
  hasOwnApiMembers: hasOwnApiMembers(value),
  defersTools: defersTools(value),
  mediaParts: mediaIn(value.messages).mediaParts,
  start: conversationStart(value.messages, value.system),
  /** The thinking budget, which the output must have space for. */
  thinkingTokens: thinking.safeParse(value.thinking).data?.budget_tokens ?? 0,
}));

export type CountTokensRequest = z.infer<typeof countTokensRequest>;

/** The members that the gateway needs, or that change the price. */
export const MESSAGES_MEMBERS = new KnownMembers([
  ...unlabelledNames(request.shape),
  'thinking',
  'speed',
  'inference_geo',
  'service_tier',
  'anthropic_beta',
  'thread',
  'fallbacks',
]);

const MEDIA_BLOCKS: ReadonlySet<unknown> = new Set(['image', 'document', 'container_upload']);

/** Returns true for a picture or a file, whose bytes say little about its tokens. */
export function isMediaBlock({ type }: { type?: unknown }): boolean {
  return MEDIA_BLOCKS.has(type);
}

/** Counts images and files, those in the results of tools among them. */
function mediaIn(messages: readonly { content?: unknown }[]): MediaParts {
  const media = new MediaCount();
  for (const { content } of messages) addBlocks(media, content);
  return media.result();
}

function addBlocks(media: MediaCount, content: unknown): void {
  if (Array.isArray(content)) for (const entry of content) addBlocks(media, entry);
  else if (isMembers(content)) {
    if (isMediaBlock(content)) addMedia(media, content);
    else addBlocks(media, content.content);
  }
}

function addMedia(media: MediaCount, { source, type }: Members): void {
  const { content, data, media_type, type: kind, url }: Members = isMembers(source) ? source : {};
  if (type === 'image') media.addImage(data ?? url, data === undefined ? undefined : media_type);
  else if (kind === 'text' || kind === 'content') {
    media.addText();
    addBlocks(media, content);
  } else media.addFile(data);
}

/** Returns the output limits that fallbacks set for themselves. */
function fallbackLimits(fallbacks: unknown): number[] {
  if (!Array.isArray(fallbacks)) return [];
  return fallbacks.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('max_tokens' in entry)) return [];
    return Number.isInteger(entry.max_tokens) ? Number(entry.max_tokens) : [];
  });
}

const READING_TOOLS = /^(?:web_search|web_fetch|code_execution)_/;

/** Returns how often a request can use server tools. @param types matches the types of these tools */
function usesOf(tools: readonly Record<string, unknown>[], types: RegExp): number {
  let uses = 0;
  for (const { max_uses, type } of tools) {
    if (typeof type !== 'string' || !types.test(type)) continue;
    uses +=
      typeof max_uses === 'number' && max_uses > 0 ? Math.min(Math.ceil(max_uses), MAX_USES) : USUAL_USES;
  }
  return Math.min(uses, MAX_USES);
}
