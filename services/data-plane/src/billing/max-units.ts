import { DEFAULT_OUTPUT_TOKENS, type PromptMeasure } from '@model-gateway/dialects';
import {
  type ChatCompletionsRequest,
  canCost,
  type ImagesRequest,
  type MediaParts,
  type MessagesRequest,
  type ModerationsRequest,
  NO_UNITS,
  type RerankRequest,
  type Unit,
  type Units,
} from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';

/**
 * Bounds of a request's usage, known before it is sent. A token has at least one byte of text, and the JSON
 * around a text (escapes included) is longer than what a chat template adds.
 */

type Limits = Pick<RoutedModel, 'contextLength' | 'maxOutputTokens' | 'mediaPartTokens' | 'filePartTokens'>;

/** Upper bound of any token count, also of reported ones. */
const MAX_TOKENS = 1_000_000_000;
/** Multiplies the measured tokens of a text, which may be too few. */
const TEXT_MARGIN = 1.15;
/** Few of the tokenizers that are not public have shorter tokens for prose and code. */
const MIN_BYTES_PER_TOKEN = 3;
/** Input tokens of a file outside of the request, for a model of unknown context. */
const UNSIZED_FILE_TOKENS = 1_000_000;
/**
 * Input tokens of a file in the request: 2,000 to 4,000 for a page of a PDF, which takes 20 to 100 kB of
 * base64; 32 for a second of audio, which takes 1 kB or more.
 */
const FILE_BYTES_PER_TOKEN = 8;
const MIN_FILE_TOKENS = 20_000;
/** Output tokens that a stream reserves at first. */
const FIRST_OUTPUT_TOKENS = 4_096;
/** Cohere bills one search unit per query with up to 100 documents. */
const DOCUMENTS_PER_SEARCH_UNIT = 100;
/** Cohere splits documents (query included) that are longer than this and bills each chunk. */
const CHUNK_TOKENS = 500;
/** Maximum output tokens of one gpt-image-1 image. */
const IMAGE_TOKENS = 6_240;
const PARTIAL_IMAGE_TOKENS = 100;
/**
 * Maximum input tokens of one picture to edit: gpt-image-1 and 1.5 take 65, 129 for each of four tiles, and
 * 6,240 for high fidelity; gpt-image-2 takes 1,536.
 */
const EDITED_IMAGE_TOKENS = 7_000;
/** 6 kbit/s, the lowest rate of Opus. */
export const MIN_AUDIO_BYTES_PER_SECOND = 750;
/** The longest recording that a request is charged for, unless its provider reports more. */
const MAX_AUDIO_MS = 6 * 60 * 60 * 1_000;

/** The members of a chat that bound its cost, in any API. */
export type BoundedChat = Pick<
  ChatCompletionsRequest,
  'maxOutputTokens' | 'choices' | keyof MediaParts | 'predictionBytes'
> &
  Partial<Pick<MessagesRequest, 'webSearches' | 'toolCalls' | 'broughtTokens' | 'serviceTier'>>;

/**
 * The text of a body counts even beyond the context length of the catalog, which may be outdated. The context
 * length bounds only what files and server tools add, whose size is unknown.
 * @param textTokens tokens of the body's text
 * @returns `defaultOutput`: true if the model limits the output, so that a smaller `max_tokens` lowers the
 *   cost; `modelOutput`: output tokens that only the model limits; `firstOutput`: output tokens that a stream
 *   reserves at first
 */
export function maxUnitsOfChat(
  chat: BoundedChat,
  textTokens: number,
  { contextLength, maxOutputTokens, mediaPartTokens, filePartTokens }: Limits,
): { maxUnits: Units; choices: number; defaultOutput: boolean; modelOutput: number; firstOutput: number } {
  const { choices, fileParts, maxOutputTokens: requested, mediaParts, predictionBytes } = chat;
  const { broughtTokens = 0, toolCalls = 0, webSearches = 0 } = chat;
  const ofModel = maxOutputTokens ?? contextLength;
  const isOfModel = requested === undefined || requested > (ofModel ?? Number.POSITIVE_INFINITY);
  // Predicted tokens that the model rejects are billed as output, and `max_tokens` does not limit them.
  const perChoice = isOfModel ? (ofModel ?? DEFAULT_OUTPUT_TOKENS) : requested;
  const sentTokens = textTokens + (mediaParts - fileParts) * mediaPartTokens;
  const fileTokens =
    filePartTokens === undefined ? tokensOfFiles(chat, contextLength) : fileParts * filePartTokens;
  const allTokens = sentTokens + fileTokens + broughtTokens;
  return {
    maxUnits: {
      ...NO_UNITS,
      inputTokens: tokens(Math.max(sentTokens, Math.min(allTokens, contextLength ?? MAX_TOKENS))),
      outputTokens: tokens(choices * (perChoice + predictionBytes)),
      webSearchRequests: webSearches,
      toolCalls,
    },
    choices,
    defaultOutput: isOfModel && predictionBytes === 0,
    modelOutput: isOfModel ? tokens(choices * perChoice) : 0,
    firstOutput: tokens(choices * (Math.min(perChoice, FIRST_OUTPUT_TOKENS) + predictionBytes)),
  };
}

/** Returns the input tokens that files reserve: the whole context for each of unknown size. */
function tokensOfFiles(
  { fileBytes, fileParts, unsizedFiles }: Pick<MediaParts, 'fileBytes' | 'fileParts' | 'unsizedFiles'>,
  contextLength: number | undefined,
): number {
  const sized = Math.max((fileParts - unsizedFiles) * MIN_FILE_TOKENS, fileBytes / FILE_BYTES_PER_TOKEN);
  return Math.ceil(sized) + unsizedFiles * (contextLength ?? UNSIZED_FILE_TOKENS);
}

/**
 * Returns the tokens that a request reserves for its text, at most one per byte.
 * @param bodyBytes of the JSON, with `mediaBytes`; `isKnown`: the measure was compared with this tokenizer
 */
export function textTokensOf(
  { opaqueBytes, opaqueTokens, tokens: all }: PromptMeasure,
  { bodyBytes, isKnown, mediaBytes }: { bodyBytes: number; mediaBytes: number; isKnown: boolean },
): number {
  const textBytes = bodyBytes - mediaBytes;
  const ofMedia = opaqueBytes === 0 ? 0 : opaqueTokens * Math.min(1, mediaBytes / opaqueBytes);
  const measured = Math.max(all - ofMedia, isKnown ? 0 : textBytes / MIN_BYTES_PER_TOKEN);
  return Math.min(textBytes, Math.ceil(measured * TEXT_MARGIN));
}

const CACHE_WRITES = ['cacheWriteTokens', 'cacheWrite1hTokens'] as const;
const MEDIA = ['audioInputTokens', 'imageInputTokens'] as const;
const UNUSED = {
  none: { withMedia: [...CACHE_WRITES], withoutMedia: [...CACHE_WRITES, ...MEDIA] },
  usual: { withMedia: ['cacheWrite1hTokens'], withoutMedia: ['cacheWrite1hTokens', ...MEDIA] },
  '1h': { withMedia: [], withoutMedia: [...MEDIA] },
} satisfies Record<PromptMeasure['cacheMark'], Record<string, Unit[]>>;

/**
 * Returns parts of the input that a chat cannot have, so that their prices are not reserved.
 * @param cachesMarkedOnly true if no provider of the model writes to its cache unasked
 */
export function unusedUnitsOfChat(
  { broughtTokens = 0, mediaParts }: Pick<BoundedChat, 'mediaParts' | 'broughtTokens'>,
  cacheMark: PromptMeasure['cacheMark'],
  cachesMarkedOnly: boolean,
): readonly Unit[] {
  const unused = UNUSED[cachesMarkedOnly ? cacheMark : '1h'];
  return mediaParts + broughtTokens === 0 ? unused.withoutMedia : unused.withMedia;
}

/** Drops the tool units, for a provider that runs no server tools. */
export function withoutTools(chat: BoundedChat): BoundedChat {
  return { ...chat, webSearches: 0, toolCalls: 0, broughtTokens: 0 };
}

/** @param bodyBytes the length of the JSON */
export function maxUnitsOfEmbeddings(bodyBytes: number): Units {
  return { ...NO_UNITS, inputTokens: tokens(bodyBytes) };
}

/** @param bodyBytes the length of the JSON, pictures included */
export function maxUnitsOfModeration(
  { mediaBytes, mediaParts }: ModerationsRequest,
  bodyBytes: number,
  { mediaPartTokens }: Pick<RoutedModel, 'mediaPartTokens'>,
): Units {
  return { ...NO_UNITS, inputTokens: tokens(bodyBytes - mediaBytes + mediaParts * mediaPartTokens) };
}

/** Cross-encoders read each document together with the query, so the query counts once per document. */
export function maxUnitsOfRerank(
  { documentBytes, documentCount, queryBytes }: RerankRequest,
  bodyBytes: number,
): Units {
  return {
    ...NO_UNITS,
    inputTokens: tokens(bodyBytes + queryBytes * (documentCount - 1)),
    searchUnits: searchUnitsOf(
      documentBytes.reduce(
        (sum, bytes) => sum + Math.max(1, Math.ceil((bytes + queryBytes) / CHUNK_TOKENS)),
        0,
      ),
    ),
  };
}

export function searchUnitsOf(documentCount: number): number {
  return Math.ceil(documentCount / DOCUMENTS_PER_SEARCH_UNIT);
}

/** Tokens count only if the model has a token price. @param bodyBytes the length of the JSON */
export function maxUnitsOfImages(
  { count, partials }: ImagesRequest,
  bodyBytes: number,
  { maxOutputTokens, price }: Pick<RoutedModel, 'maxOutputTokens' | 'price'>,
): Units {
  const hasTokenPrice = price !== undefined && canCost(price.selling, ['inputTokens', 'outputTokens']);
  if (!hasTokenPrice) return { ...NO_UNITS, images: count };
  const perImage = (maxOutputTokens ?? IMAGE_TOKENS) + partials * PARTIAL_IMAGE_TOKENS;
  return {
    ...NO_UNITS,
    images: count,
    inputTokens: tokens(bodyBytes),
    outputTokens: tokens(count * perImage),
  };
}

/** The same for an edit. Some models read the input again for each image that they generate. */
export function maxUnitsOfImageEdit(
  request: ImagesRequest,
  { textBytes, pictures }: { textBytes: number; pictures: number },
  model: Pick<RoutedModel, 'maxOutputTokens' | 'price'>,
): Units {
  const pictureTokens = request.count * pictures * EDITED_IMAGE_TOKENS;
  const maxUnits = maxUnitsOfImages(request, request.count * textBytes + pictureTokens, model);
  return maxUnits.inputTokens === 0 ? maxUnits : { ...maxUnits, imageInputTokens: pictureTokens };
}

/** @param uploadBytes the length of the file, or of the form around it */
export function maxUnitsOfTranscription(uploadBytes: number): Units {
  const audioMs = Math.ceil((uploadBytes * 1_000) / MIN_AUDIO_BYTES_PER_SECOND);
  return { ...NO_UNITS, audioMs: Math.min(audioMs, MAX_AUDIO_MS) };
}

function tokens(count: number): number {
  return Math.min(count, MAX_TOKENS);
}
