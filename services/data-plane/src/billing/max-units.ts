import { DEFAULT_OUTPUT_TOKENS } from '@model-gateway/dialects';
import {
  type ChatCompletionsRequest,
  canCost,
  type EmbeddingsRequest,
  type ImagesRequest,
  type MessagesRequest,
  NO_UNITS,
  type RerankRequest,
  type Units,
} from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';

/**
 * The most that a request can consume, which is known before it is sent. A token has at least one byte of
 * text, and the JSON around a text is longer than what a chat template puts in its place. Escapes only make
 * the JSON longer.
 */

type Limits = Pick<RoutedModel, 'contextLength' | 'maxOutputTokens' | 'mediaPartTokens'>;

/** No higher count of tokens is believed either. */
const MAX_TOKENS = 1_000_000_000;
/** Cohere bills a query with up to a hundred documents as one search. */
const DOCUMENTS_PER_SEARCH_UNIT = 100;
/** A document that, with the query, is longer than this counts as several. */
const CHUNK_TOKENS = 500;
/** The most that gpt-image-1 counts for one picture. */
const IMAGE_TOKENS = 6_240;
const PARTIAL_IMAGE_TOKENS = 100;
/** 16 kbit/s: speech is hardly ever compressed more than that. */
const LEAST_AUDIO_BYTES_PER_SECOND = 2_000;

/** The members of a chat that bound its cost, in any API. */
export type BoundedChat = Pick<
  ChatCompletionsRequest,
  'maxOutputTokens' | 'choices' | 'mediaParts' | 'predictionBytes'
> &
  Partial<Pick<MessagesRequest, 'webSearches' | 'toolCalls' | 'broughtTokens'>>;

/**
 * @param bodyBytes the length of the JSON
 * @returns `defaultOutput`: whether the model limits the output, so that a smaller `max_tokens` would limit
 *   it more
 */
export function maxUnitsOfChat(
  { maxOutputTokens: requested, choices, mediaParts, predictionBytes, ...ofTools }: BoundedChat,
  bodyBytes: number,
  { contextLength, maxOutputTokens, mediaPartTokens }: Limits,
): { most: Units; choices: number; defaultOutput: boolean } {
  const ofModel = maxOutputTokens ?? contextLength;
  const isOfModel = requested === undefined || requested > (ofModel ?? Number.POSITIVE_INFINITY);
  // Predicted tokens that the model rejects are billed as output, and `max_tokens` does not limit them.
  const perChoice = (isOfModel ? (ofModel ?? DEFAULT_OUTPUT_TOKENS) : requested) + predictionBytes;
  const { broughtTokens = 0, toolCalls = 0, webSearches = 0 } = ofTools;
  const input = bodyBytes + mediaParts * mediaPartTokens + broughtTokens;
  return {
    most: {
      ...NO_UNITS,
      inputTokens: tokens(Math.min(input, contextLength ?? MAX_TOKENS)),
      outputTokens: tokens(choices * perChoice),
      webSearchRequests: webSearches,
      toolCalls,
    },
    choices,
    defaultOutput: isOfModel && predictionBytes === 0,
  };
}

/** The same for a provider that runs no tools: nothing is searched for, and nothing brought to the model. */
export function withoutTools(chat: BoundedChat): BoundedChat {
  return { ...chat, webSearches: 0, toolCalls: 0, broughtTokens: 0 };
}

/** @param bodyBytes the length of the JSON */
export function maxUnitsOfEmbeddings(
  { entries }: EmbeddingsRequest,
  bodyBytes: number,
  { contextLength }: Pick<RoutedModel, 'contextLength'>,
): Units {
  const ofModel = contextLength === undefined ? MAX_TOKENS : contextLength * entries;
  return { ...NO_UNITS, inputTokens: tokens(Math.min(bodyBytes, ofModel)) };
}

/**
 * Providers that read each document together with the query count the query for each of them.
 * @param bodyBytes the length of the JSON
 */
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

/** Tokens count only if they have a price. @param bodyBytes the length of the JSON */
export function maxUnitsOfImages(
  { count, partials }: ImagesRequest,
  bodyBytes: number,
  { contextLength, maxOutputTokens, price }: Pick<RoutedModel, 'contextLength' | 'maxOutputTokens' | 'price'>,
): Units {
  const hasTokenPrice = price !== undefined && canCost(price.of, ['inputTokens', 'outputTokens']);
  if (!hasTokenPrice) return { ...NO_UNITS, images: count };
  const perImage = (maxOutputTokens ?? IMAGE_TOKENS) + partials * PARTIAL_IMAGE_TOKENS;
  return {
    ...NO_UNITS,
    images: count,
    inputTokens: tokens(Math.min(bodyBytes, contextLength ?? MAX_TOKENS)),
    outputTokens: tokens(count * perImage),
  };
}

/** @param uploadBytes the length of the file, or of the form around it */
export function maxUnitsOfTranscription(uploadBytes: number): Units {
  return { ...NO_UNITS, audioMs: Math.ceil((uploadBytes * 1_000) / LEAST_AUDIO_BYTES_PER_SECOND) };
}

function tokens(count: number): number {
  return Math.min(count, MAX_TOKENS);
}
