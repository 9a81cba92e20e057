import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';

/** Applies the rules of the block's type. */
export function messagesBlockMembers(
  reader: FieldReader,
  { type, ...block }: JsonObject,
  path: string,
): JsonObject {
  return reader.members(block, path, `content[${String(type)}]`);
}
