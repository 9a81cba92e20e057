import type { BillUnit } from '../bill-line.ts';

export interface ParsedSku {
  /** Made of the words of the description: "gemini-2.5-flash"; null if it names no model. */
  model: string | null;
  unit: BillUnit | null;
  serviceTier: string | null;
}

const FAMILY = /^(?:gemini|claude|imagen|llama|mistral|gemma)$/;
/** Words after the family that belong to the name of the model. */
const NAME = /^(?:\d+(?:\.\d+)*|pro|flash|lite|ultra|nano|preview|opus|sonnet|haiku|fast)$/;
const SEARCHES = /grounding with google search|web search/;

/**
 * Reads a SKU of Vertex AI ("Gemini 2.5 Flash GA Text Input - Predictions") or of the Gemini API ("Generate
 * content cached input token count gemini 3.6 flash text"). Google has no list of SKUs for programs.
 */
export function parseSku(description: string): ParsedSku {
  const text = description.toLowerCase().replaceAll('_', ' ');
  const words = text.split(/[\s()-]+/).filter((word) => word !== '');
  const tier = words.find((word) => /^(?:batch|flex|priority)$/.test(word)) ?? null;
  return { model: modelIn(words), unit: unitIn(text, words), serviceTier: tier };
}

function modelIn(words: readonly string[]): string | null {
  const start = words.findIndex((word) => FAMILY.test(word));
  if (start === -1) return null;
  const after = words.slice(start + 1);
  const end = after.findIndex((word) => !NAME.test(word));
  return words.slice(start, start + 1 + (end === -1 ? after.length : end)).join('-');
}

function unitIn(text: string, words: readonly string[]): BillUnit | null {
  if (SEARCHES.test(text)) return 'webSearchRequests';
  const has = (...any: string[]) => any.some((word) => words.includes(word));
  // Stored caches are billed by the hour.
  if (has('storage', 'tuning', 'training', 'provisioned')) return null;
  if (has('caching', 'cached', 'cache')) {
    if (has('write', 'writes', 'creation'))
      return has('1h', '1hr', 'hour') ? 'cacheWrite1hTokens' : 'cacheWriteTokens';
    return 'cachedInputTokens';
  }
  if (has('input')) {
    // "short input text" is the length of the prompt; the words after it name the tokens.
    if (has('output')) return 'outputTokens';
    if (has('audio')) return 'audioInputTokens';
    return has('image', 'video') ? 'imageInputTokens' : 'inputTokens';
  }
  if (!has('output')) return null;
  if (has('audio')) return 'audioOutputTokens';
  return has('image') && !has('text') ? 'imageOutputTokens' : 'outputTokens';
}
