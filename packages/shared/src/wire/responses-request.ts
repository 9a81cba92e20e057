import { z } from 'zod';
import { readServiceTier } from '../billing/service-tier.ts';
import { type ConversationStart, conversationStart } from './conversation-start.ts';
import { labelMembers, labelsIn, unlabelledNames } from './label-members.ts';
import { MediaCount } from './media-parts.ts';
import { KnownMembers } from './member-spelling.ts';
import { isMembers } from './members.ts';
import { modelsNamed, requestedModels, requireModel } from './requested-models.ts';
import { echoOf } from './responses-echo.ts';
import { callableTools, toolsIn, toolsOffered, unpricedOfResponses, usesOfTools } from './responses-tools.ts';
import { MAX_STORED_TOKENS, TOKENS_OF_USE } from './server-tools.ts';

/**
 * The request of POST /v1/responses, OpenAI's API. The schema checks what the gateway needs (for routing,
 * streaming, metering) and lets every other field pass unchanged.
 */

const object = z.looseObject({});

const request = z
  .looseObject({
    ...requestedModels,
    input: z.union([z.string(), z.array(object)], 'expected a string or an array of items').nullish(),
    stream: z.boolean().nullish(),
    max_output_tokens: z.int().min(1).nullish(),
    max_tool_calls: z.int().min(1).nullish(),
    tools: z.array(object).nullish(),
    previous_response_id: z.string().min(1).nullish(),
    background: z.boolean().nullish(),
    store: z.boolean().nullish(),
    ...labelMembers,
  })
  .check(requireModel);

/** Checks the request, and extracts what the gateway itself needs. */
export const responsesRequest = request.transform((value) => {
  const { input, max_tool_calls, tools } = value;
  const offered = toolsIn({ input, tools });
  const { serverCalls, toolCalls, webSearches } = usesOfTools(offered, max_tool_calls ?? undefined);
  const itemReferences = referencesIn(value.input);
  const goesOn =
    itemReferences.length > 0 || isPresent(value.previous_response_id) || isPresent(value.conversation);
  return {
    ...modelsNamed(value),
    streamed: value.stream === true,
    maxOutputTokens: value.max_output_tokens ?? undefined,
    /** Chat Completions can set these; a response always has one choice and no prediction. */
    choices: 1,
    predictionBytes: 0,
    ...addMedia(new MediaCount(), value.input).result(),
    start: startOf(value),
    webSearches,
    toolCalls,
    /** Input beside the body: results of server tools, and the conversation that the provider has stored. */
    broughtTokens: TOKENS_OF_USE * (webSearches + toolCalls + serverCalls) + (goesOn ? MAX_STORED_TOKENS : 0),
    /** The requested service tier, by `readServiceTier`; undefined: none. */
    serviceTier: readServiceTier(value.service_tier),
    /** Parameters that a paid model without a price for them refuses, if the request passes unchanged. */
    unpriced: unpricedOfResponses(value, offered),
    callableTools: callableTools(toolsOffered(value)),
    previousResponseId: value.previous_response_id ?? undefined,
    /** The items of earlier responses that the input refers to, with their places in it. */
    itemReferences,
    /** True: the request continues a stored conversation, so only the provider that has it can serve it. */
    goesOn,
    background: value.background === true,
    /** True: the response may be stored for a later turn. */
    store: value.store !== false,
    /** True: reasoning must come back in a form that can be sent again, because nobody else stores it. */
    wantsEncrypted: value.store === false || includesEncrypted(value.include),
    /** Members that the response object repeats. */
    echo: echoOf(value),
    labels: labelsIn(value),
  };
});

export type ResponsesRequest = z.infer<typeof responsesRequest>;

/** The members that the gateway needs, or that change the price. */
export const RESPONSES_MEMBERS = new KnownMembers([
  ...unlabelledNames(request.shape),
  'instructions',
  'conversation',
  'prompt',
  'service_tier',
  'multi_agent',
]);

/** Returns undefined for a request that continues a stored response: its own messages are not the first. */
function startOf({
  conversation,
  input,
  instructions,
  previous_response_id: previous,
}: z.infer<typeof request>): ConversationStart | undefined {
  if (isPresent(conversation)) return [conversation];
  if (isPresent(previous)) return undefined;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? []);
  return conversationStart(items, instructions);
}

function includesEncrypted(include: unknown): boolean {
  return Array.isArray(include) && include.includes('reasoning.encrypted_content');
}

export interface ItemReference {
  index: number;
  id: string;
}

/** More than any conversation has: the list is copied between threads. */
const MAX_REFERENCES = 10_000;

function referencesIn(input: string | readonly Readonly<Record<string, unknown>>[] | null | undefined) {
  const found: ItemReference[] = [];
  if (!Array.isArray(input)) return found;
  for (const [index, item] of input.entries())
    if (isReference(item) && found.length < MAX_REFERENCES)
      found.push({ index, id: typeof item.id === 'string' ? item.id : '' });
  return found;
}

/** Recognizes an item reference also without a type: unlike a message, it has no role. */
function isReference({ id, role, type }: Readonly<Record<string, unknown>>): boolean {
  return type === 'item_reference' || (!isPresent(type) && role === undefined && id !== undefined);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

const IMAGE_PARTS: ReadonlySet<unknown> = new Set(['input_image', 'computer_screenshot']);
const FILE_PARTS: ReadonlySet<unknown> = new Set(['input_file', 'input_audio', 'input_video']);
/** Members of items with the parts that the model reads. */
const WITHIN = ['content', 'output'] as const;

/** Counts images, recordings and files, those in the results of tools among them. */
function addMedia(media: MediaCount, parts: unknown): MediaCount {
  if (Array.isArray(parts)) for (const entry of parts) addPart(media, entry, WITHIN);
  else addPart(media, parts, []);
  return media;
}

function addPart(media: MediaCount, part: unknown, within: readonly string[]): void {
  if (!isMembers(part)) return;
  if (IMAGE_PARTS.has(part.type)) media.addImage(part.image_url);
  else if (FILE_PARTS.has(part.type))
    media.addFile(part.file_data ?? (isMembers(part.input_audio) ? part.input_audio.data : undefined));
  else for (const member of within) if (member in part) addMedia(media, part[member]);
}
