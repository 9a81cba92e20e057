import {
  type ChatCompletionsRequest,
  type EmbeddingsRequest,
  NO_UNITS,
  type RerankRequest,
  type Units,
} from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';

/**
 * The most a request can consume, known before it is sent. A token is at least one byte of its text, and the JSON
 * around the text is longer than what a chat template puts there instead; escapes only make the JSON longer.
 */

type Limits = Pick<RoutedModel, 'contextLength' | 'maxOutputTokens'>;

/** Of an image, a recording or a file in a chat, besides its bytes: a large image of the common models. */
export const MEDIA_PART_TOKENS = 1_600;
/** Where neither the caller nor the catalog bounds the output of a chat. */
export const DEFAULT_OUTPUT_TOKENS = 16_384;
/** Beyond this no count of tokens is believed either. */
const MAX_TOKENS = 1_000_000_000;
/** What Cohere bills as one search: a query with up to a hundred documents. */
const DOCUMENTS_PER_SEARCH_UNIT = 100;
/** 16 kbit/s: speech is hardly ever compressed more than that. */
const LEAST_AUDIO_BYTES_PER_SECOND = 2_000;

/** @param bodyBytes of the JSON. `defaultOutput`: the output is bounded by the model, not by the caller */
export function mostOfChat(
  { maxOutputTokens: requested, choices, mediaParts }: ChatCompletionsRequest,
  bodyBytes: number,
  { contextLength, maxOutputTokens }: Limits,
): { most: Units; choices: number; defaultOutput: boolean } {
  const ofModel = maxOutputTokens ?? contextLength;
  const defaultOutput = requested === undefined || requested > (ofModel ?? Number.POSITIVE_INFINITY);
  const perChoice = defaultOutput ? (ofModel ?? DEFAULT_OUTPUT_TOKENS) : requested;
  return {
    most: {
      ...NO_UNITS,
      inputTokens: tokens(Math.min(bodyBytes + mediaParts * MEDIA_PART_TOKENS, contextLength ?? MAX_TOKENS)),
      outputTokens: tokens(choices * perChoice),
    },
    choices,
    defaultOutput,
  };
}

/** @param bodyBytes of the JSON */
export function mostOfEmbeddings(
  { entries }: EmbeddingsRequest,
  bodyBytes: number,
  { contextLength }: Pick<RoutedModel, 'contextLength'>,
): Units {
  const ofModel = contextLength === undefined ? MAX_TOKENS : contextLength * entries;
  return { ...NO_UNITS, inputTokens: tokens(Math.min(bodyBytes, ofModel)) };
}

/** Providers that read each document together with the query count the query for each. @param bodyBytes of the JSON */
export function mostOfRerank({ documentCount, queryBytes }: RerankRequest, bodyBytes: number): Units {
  return {
    ...NO_UNITS,
    inputTokens: tokens(bodyBytes + queryBytes * (documentCount - 1)),
    searchUnits: searchUnitsOf(documentCount),
  };
}

export function searchUnitsOf(documentCount: number): number {
  return Math.ceil(documentCount / DOCUMENTS_PER_SEARCH_UNIT);
}

/** @param uploadBytes of the file, or of the form around it */
export function mostOfTranscription(uploadBytes: number): Units {
  return { ...NO_UNITS, audioMs: Math.ceil((uploadBytes * 1_000) / LEAST_AUDIO_BYTES_PER_SECOND) };
}

function tokens(count: number): number {
  return Math.min(count, MAX_TOKENS);
}
