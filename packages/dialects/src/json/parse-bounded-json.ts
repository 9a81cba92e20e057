import { parseExactJson } from './exact-json.ts';
import { nestsTooDeeply } from './nests-too-deeply.ts';

/** As deep as a request may nest; whatever walks through a value later stays shallow. */
const MAX_DEPTH = 128;

/**
 * The value of JSON that stands as text inside a request, where nothing has bounded its nesting yet.
 * @returns undefined for what is no JSON, or nests more deeply than a request may
 */
export function parseBoundedJson(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  if (nestsTooDeeply(text, MAX_DEPTH)) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** The same of what becomes part of a request, and so is written by `writeExactJson`. */
export function parseBoundedExactJson(text: string): unknown {
  return parseBoundedJson(text, parseExactJson);
}
