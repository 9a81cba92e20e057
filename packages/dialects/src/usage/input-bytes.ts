import { promptBytes } from './prompt-tokens.ts';
import { textBytes } from './usage.ts';

/** For the parts of a moderation: images cost tokens of their own. */
const WITHOUT_IMAGES = { except: new Set(['type', 'image_url']) };

/**
 * Counts the bytes that a model reads, by the name of the request's schema, for estimates where a provider
 * sends no count. Runs while a large body is parsed: parsing it again would delay other requests.
 */
const INPUT_BYTES: Readonly<Record<string, (request: Record<string, unknown>) => number>> = {
  chat: promptBytes,
  messages: promptBytes,
  responses: promptBytes,
  countTokens: promptBytes,
  completions: promptBytes,
  moderation: ({ input }) => textBytes(input, WITHOUT_IMAGES),
  embeddings: ({ input }) => textBytes(input),
  rerank: ({ query, documents }) => textBytes(query) + textBytes(documents),
};

/** @returns undefined for requests that need no estimate */
export function countInputBytes(schemaName: string, request: unknown): number | undefined {
  if (typeof request !== 'object' || request === null) return undefined;
  return INPUT_BYTES[schemaName]?.({ ...request });
}
