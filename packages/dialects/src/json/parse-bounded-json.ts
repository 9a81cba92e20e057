import { parseExactJson } from './exact-json.ts';
import { nestsTooDeeply } from './nests-too-deeply.ts';

/** The depth that requests are limited to, so that recursion over any value is bounded. */
const MAX_DEPTH = 128;

/**
 * Parses JSON inside a string of a request, whose nesting nothing else has bounded.
 * @returns undefined for invalid JSON, and for JSON that nests deeper than a request may
 */
export function parseBoundedJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  if (nestsTooDeeply(text, MAX_DEPTH)) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Does the same without losing digits, for values that become part of a request. */
export function parseBoundedExactJson(text: string): unknown {
  return parseBoundedJson(text, parseExactJson);
}
