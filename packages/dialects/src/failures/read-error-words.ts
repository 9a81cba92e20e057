import { isObject, type JsonObject } from '../json/json-object.ts';

const MARKUP = /^\s*</;
/** Members of an error that may hold its words, or an object that does, in this order. */
const MESSAGE_MEMBERS = [
  'error',
  'message',
  'Message',
  'detail',
  'error_description',
  'errors',
  'msg',
] as const;
/** Deeper than any provider says what is wrong. */
const MAX_DEPTH = 5;

/**
 * Returns the words of an error in any form: `{error:{message}}` of OpenAI, `{message}` of Mistral and older
 * vLLM, `{error:"…"}` of Ollama and TGI, `{detail:[{loc,msg}]}` of FastAPI, `[{error}]` of Gemini's
 * compatible endpoint, else the text as it is.
 * @returns undefined for an empty body and for a page of HTML
 */
export function readErrorMessage(bodyText: string): string | undefined {
  const text = bodyText.trim();
  if (text === '' || MARKUP.test(text)) return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text;
  }
  return messageIn(body, 0) ?? (isEmpty(body) ? undefined : text);
}

function messageIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (depth === MAX_DEPTH) return undefined;
  if (Array.isArray(value)) {
    const all = value.flatMap((entry: unknown) => messageIn(entry, depth + 1) ?? []);
    return all.length === 0 ? undefined : all.join('; ');
  }
  return isObject(value) ? messageOf(value, depth) : undefined;
}

function messageOf(value: JsonObject, depth: number): string | undefined {
  for (const place of MESSAGE_MEMBERS) {
    const words = messageIn(value[place], depth + 1);
    if (words !== undefined) return withField(words, value.loc);
  }
  return undefined;
}

/** FastAPI names the field apart: `["body", "messages", 0]`. */
function withField(words: string, place: unknown): string {
  return Array.isArray(place) && place.length > 0 ? `${place.join('.')}: ${words}` : words;
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
