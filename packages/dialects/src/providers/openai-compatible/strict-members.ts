import { ONLY_OPENAI_MESSAGE_MEMBERS, ONLY_OPENAI_REQUEST_MEMBERS } from '@model-gateway/shared';
import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';

const REQUEST_MEMBERS: ReadonlySet<string> = new Set(ONLY_OPENAI_REQUEST_MEMBERS);
const MESSAGE_MEMBERS: ReadonlySet<string> = new Set(ONLY_OPENAI_MESSAGE_MEMBERS);

/** Returns a request without the members that only OpenAI has; they are named. */
export function strictRequest(request: JsonObject, reader: FieldReader): JsonObject {
  const members = Object.entries(request).filter(([name]) => {
    if (!REQUEST_MEMBERS.has(name)) return true;
    reader.ignore(name);
    return false;
  });
  return Object.fromEntries(members);
}

/** Does the same for a message. Empty members are not named. */
export function strictMessage(message: JsonObject, reader: FieldReader): JsonObject {
  // A tool result has the name of its tool.
  if (message.role === 'tool') return message;
  const members = Object.entries(message).filter(([name, value]) => {
    if (!MESSAGE_MEMBERS.has(name)) return true;
    const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) reader.ignore(`messages[].${name}`);
    return false;
  });
  return Object.fromEntries(members);
}
