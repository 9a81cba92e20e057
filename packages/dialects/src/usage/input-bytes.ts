import { promptBytes } from './prompt-tokens.ts';
import { textBytes } from './usage.ts';

/**
 * Bytes of what a model reads of a request, by the name of its schema; for estimates, where a provider sends
 * no count. Counted where a large body is parsed anyway: to parse it once more would hold up everybody.
 */
const INPUT_BYTES: Readonly<Record<string, (request: Record<string, unknown>) => number>> = {
  chat: promptBytes,
  messages: promptBytes,
  responses: promptBytes,
  countTokens: promptBytes,
  embeddings: ({ input }) => textBytes(input),
  rerank: ({ query, documents }) => textBytes(query) + textBytes(documents),
};

/** @returns undefined where nothing is estimated from a request */
export function countInputBytes(schemaName: string, request: unknown): number | undefined {
  if (typeof request !== 'object' || request === null) return undefined;
  return INPUT_BYTES[schemaName]?.({ ...request });
}
