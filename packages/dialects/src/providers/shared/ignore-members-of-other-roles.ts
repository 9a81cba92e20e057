import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';

/** Members of messages that only some roles have. */
const ROLES: Readonly<Record<string, readonly unknown[]>> = {
  tool_calls: ['assistant'],
  function_call: ['assistant'],
  refusal: ['assistant'],
  images: ['assistant'],
  reasoning_details: ['assistant'],
  reasoning_content: ['assistant'],
  tool_call_id: ['tool'],
  is_error: ['tool', 'function'],
};

export function ignoreMembersOfOtherRoles(message: JsonObject, reader: FieldReader): void {
  for (const [name, roles] of Object.entries(ROLES)) {
    if (message[name] !== undefined && !roles.includes(message.role)) reader.ignore(`messages[].${name}`);
  }
}
