import { isObject, type JsonObject } from '../json/json-object.ts';

const MARKUP = /^\s*</;
/** Members of an error that may hold its words, or an object that does, in this order. */
const PLACES = ['error', 'message', 'Message', 'detail', 'error_description', 'errors', 'msg'] as const;
/** Deeper than any provider says what is wrong. */
const MAX_DEPTH = 5;

/**
 * Returns the words of an error in any form: `{error:{message}}` of OpenAI, `{message}` of Mistral and older
 * vLLM, `{error:"…"}` of Ollama and TGI, `{detail:[{loc,msg}]}` of FastAPI, `[{error}]` of Gemini's
 * compatible endpoint, else the text as it is.
 * @returns undefined for an empty body and for a page of HTML
 */
export function readErrorWords(bodyText: string): string | undefined {
  const text = bodyText.trim();
  if (text === '' || MARKUP.test(text)) return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text;
  }
  return wordsIn(body, 0) ?? (isEmpty(body) ? undefined : text);
}

function wordsIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (depth === MAX_DEPTH) return undefined;
  if (Array.isArray(value)) {
    const all = value.flatMap((entry: unknown) => wordsIn(entry, depth + 1) ?? []);
    return all.length === 0 ? undefined : all.join('; ');
  }
  return isObject(value) ? wordsOf(value, depth) : undefined;
}

function wordsOf(value: JsonObject, depth: number): string | undefined {
  for (const place of PLACES) {
    const words = wordsIn(value[place], depth + 1);
    if (words !== undefined) return withPlace(words, value.loc);
  }
  return undefined;
}

/** FastAPI names the field apart: `["body", "messages", 0]`. */
function withPlace(words: string, place: unknown): string {
  return Array.isArray(place) && place.length > 0 ? `${place.join('.')}: ${words}` : words;
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
