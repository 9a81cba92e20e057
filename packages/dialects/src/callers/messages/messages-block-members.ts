import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';

/** The members of a block of content besides its type, by the rules of that type. */
export function messagesBlockMembers(
  reader: FieldReader,
  { type, ...block }: JsonObject,
  path: string,
): JsonObject {
  return reader.members(block, path, `content[${String(type)}]`);
}
