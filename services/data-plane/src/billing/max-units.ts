import { DEFAULT_OUTPUT_TOKENS } from '@model-gateway/dialects';
import {
  type ChatCompletionsRequest,
  canCost,
  type ImagesRequest,
  type MediaParts,
  type MessagesRequest,
  NO_UNITS,
  type RerankRequest,
  type Units,
} from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';

/**
 * Upper bounds of a request's usage, known before it is sent. A token has at least one byte of text, and the
 * JSON around a text (escapes included) is longer than what a chat template adds.
 */

type Limits = Pick<RoutedModel, 'contextLength' | 'maxOutputTokens' | 'mediaPartTokens' | 'filePartTokens'>;

/** Upper bound of any token count, also of reported ones. */
const MAX_TOKENS = 1_000_000_000;
/** Cohere bills one search unit per query with up to 100 documents. */
const DOCUMENTS_PER_SEARCH_UNIT = 100;
/** Cohere splits documents (query included) that are longer than this and bills each chunk. */
const CHUNK_TOKENS = 500;
/** Maximum output tokens of one gpt-image-1 image. */
const IMAGE_TOKENS = 6_240;
const PARTIAL_IMAGE_TOKENS = 100;
/** 6 kbit/s, the lowest rate of Opus. */
export const MIN_AUDIO_BYTES_PER_SECOND = 750;
/** The longest recording that a request is charged for, unless its provider reports more. */
const MAX_AUDIO_MS = 6 * 60 * 60 * 1_000;

/** The members of a chat that bound its cost, in any API. */
export type BoundedChat = Pick<
  ChatCompletionsRequest,
  'maxOutputTokens' | 'choices' | keyof MediaParts | 'predictionBytes'
> &
  Partial<Pick<MessagesRequest, 'webSearches' | 'toolCalls' | 'broughtTokens'>>;

/**
 * The text of a body counts even beyond the context length of the catalog, which may be outdated. The context
 * length bounds only what files and server tools add, whose size is unknown.
 * @returns `defaultOutput`: true if the model limits the output, so that a smaller `max_tokens` lowers the
 *   cost
 */
export function maxUnitsOfChat(
  { maxOutputTokens: requested, choices, predictionBytes, ...input }: BoundedChat,
  bodyBytes: number,
  { contextLength, maxOutputTokens, mediaPartTokens, filePartTokens }: Limits,
): { maxUnits: Units; choices: number; defaultOutput: boolean } {
  const ofModel = maxOutputTokens ?? contextLength;
  const isOfModel = requested === undefined || requested > (ofModel ?? Number.POSITIVE_INFINITY);
  // Predicted tokens that the model rejects are billed as output, and `max_tokens` does not limit them.
  const perChoice = (isOfModel ? (ofModel ?? DEFAULT_OUTPUT_TOKENS) : requested) + predictionBytes;
  const { broughtTokens = 0, fileParts, mediaBytes, mediaParts, toolCalls = 0, webSearches = 0 } = input;
  const sentTokens = bodyBytes + (mediaParts - fileParts) * mediaPartTokens;
  const allTokens = sentTokens + fileParts * filePartTokens + broughtTokens;
  return {
    maxUnits: {
      ...NO_UNITS,
      inputTokens: tokens(
        Math.max(sentTokens - mediaBytes, Math.min(allTokens, contextLength ?? MAX_TOKENS)),
      ),
      outputTokens: tokens(choices * perChoice),
      webSearchRequests: webSearches,
      toolCalls,
    },
    choices,
    defaultOutput: isOfModel && predictionBytes === 0,
  };
}

/** Drops the tool units, for a provider that runs no server tools. */
export function withoutTools(chat: BoundedChat): BoundedChat {
  return { ...chat, webSearches: 0, toolCalls: 0, broughtTokens: 0 };
}

/** @param bodyBytes the length of the JSON */
export function maxUnitsOfEmbeddings(bodyBytes: number): Units {
  return { ...NO_UNITS, inputTokens: tokens(bodyBytes) };
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
  const hasTokenPrice = price !== undefined && canCost(price.of, ['inputTokens', 'outputTokens']);
  if (!hasTokenPrice) return { ...NO_UNITS, images: count };
  const perImage = (maxOutputTokens ?? IMAGE_TOKENS) + partials * PARTIAL_IMAGE_TOKENS;
  return {
    ...NO_UNITS,
    images: count,
    inputTokens: tokens(bodyBytes),
    outputTokens: tokens(count * perImage),
  };
}

/** @param uploadBytes the length of the file, or of the form around it */
export function maxUnitsOfTranscription(uploadBytes: number): Units {
  const audioMs = Math.ceil((uploadBytes * 1_000) / MIN_AUDIO_BYTES_PER_SECOND);
  return { ...NO_UNITS, audioMs: Math.min(audioMs, MAX_AUDIO_MS) };
}

function tokens(count: number): number {
  return Math.min(count, MAX_TOKENS);
}
