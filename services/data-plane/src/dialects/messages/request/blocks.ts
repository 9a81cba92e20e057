import type { GatewayError } from '@model-gateway/shared';
import type { FieldReader } from '../../../translation/field-reader.ts';
import type { JsonObject } from '../../../translation/json-object.ts';

/** The date of a version at the end of a type. */
const DATE = /_\d{8}$/;

/** The members of a block of content besides its type, by the rules of that type. */
export function blockMembers(reader: FieldReader, { type, ...block }: JsonObject, path: string): JsonObject {
  return reader.members(block, path, `content[${String(type)}]`);
}

/** The error for a type that is not translated. @param kind `content` or `tools` */
export function refusedType(
  reader: FieldReader,
  kind: 'content' | 'tools',
  type: string,
  path: string,
): GatewayError {
  const why = reader.rule(`${kind}[${type.replace(DATE, '')}]`)?.note;
  return reader.refusal(`${path}.type`, why ?? `takes nothing of the type "${type.slice(0, 100)}" here`);
}
