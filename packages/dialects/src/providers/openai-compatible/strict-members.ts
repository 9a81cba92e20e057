import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';

/** Members of messages that OpenAI's API has, and strict servers refuse, even with null. */
export const LEFT_OUT_OF_MESSAGES = ['annotations', 'audio', 'function_call', 'name', 'refusal'] as const;
const LEFT_OUT: ReadonlySet<string> = new Set(LEFT_OUT_OF_MESSAGES);

/** Members of requests that only OpenAI has. */
export const LEFT_OUT_OF_REQUESTS = [
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'verbosity',
] as const;
const ONLY_OPENAI: ReadonlySet<string> = new Set(LEFT_OUT_OF_REQUESTS);

/** Returns a request without them; they are named. */
export function strictRequest(request: JsonObject, reader: FieldReader): JsonObject {
  const members = Object.entries(request).filter(([name]) => {
    if (!ONLY_OPENAI.has(name)) return true;
    reader.ignore(name);
    return false;
  });
  return Object.fromEntries(members);
}

/** Returns a message without them. Those that say something are named. */
export function strictMessage(message: JsonObject, reader: FieldReader): JsonObject {
  // A result of a tool has the name of the tool.
  if (message.role === 'tool') return message;
  const members = Object.entries(message).filter(([name, value]) => {
    if (!LEFT_OUT.has(name)) return true;
    const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) reader.ignore(`messages[].${name}`);
    return false;
  });
  return Object.fromEntries(members);
}
