import { nestsTooDeeply } from '../json/nests-too-deeply.ts';

/** As deep as a request may nest; whatever walks through a value later stays shallow. */
const MAX_DEPTH = 128;

/**
 * The value of JSON that stands as text inside a request, where nothing has bounded its nesting yet.
 * @returns undefined for what is no JSON, or nests more deeply than a request may
 */
export function parsedJson(text: string): unknown {
  if (nestsTooDeeply(text, MAX_DEPTH)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
