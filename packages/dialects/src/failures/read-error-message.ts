import { isObject, type JsonObject } from '../json/json-object.ts';

/** Returns true for HTML or XML. */
export function isMarkup(text: string): boolean {
  return /^\s*</.test(text);
}

/** Members that hold the message of an error, or an object with it; the first one counts. */
const MESSAGE_MEMBERS = [
  'error',
  'message',
  'Message',
  'detail',
  'error_description',
  'errors',
  'msg',
] as const;
/** No provider nests its message deeper. */
const MAX_DEPTH = 5;

/**
 * Reads the message of an error in any form: `{error:{message}}` of OpenAI, `{message}` of Mistral and older
 * vLLM, `{error:"…"}` of Ollama and TGI, `{detail:[{loc,msg}]}` of FastAPI, `[{error}]` of Gemini's
 * compatible endpoint; else the whole text.
 * @returns undefined for an empty body and for a page of HTML
 */
export function readErrorMessage(bodyText: string): string | undefined {
  const text = bodyText.trim();
  if (text === '' || isMarkup(text)) return undefined;
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
  for (const name of MESSAGE_MEMBERS) {
    const message = messageIn(value[name], depth + 1);
    if (message !== undefined) return withField(message, value.loc);
  }
  return undefined;
}

/** FastAPI names the field separately: `["body", "messages", 0]`. */
function withField(message: string, field: unknown): string {
  return Array.isArray(field) && field.length > 0 ? `${field.join('.')}: ${message}` : message;
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
