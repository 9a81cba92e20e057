import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { flagAt, objectAt } from '../../translation/field-values.ts';
import { convertSchemaToGemini } from './convert-schema-to-gemini.ts';

const JSON_OUTPUT = { responseMimeType: 'application/json' };

/** Returns members of `generationConfig`. */
export function geminiOutputFormat(given: unknown, reader: FieldReader): JsonObject {
  if (given === undefined) return {};
  const { json_schema, type } = reader.members(given, 'response_format');
  if (type === 'text') return {};
  if (type === 'json_object') return JSON_OUTPUT;
  if (type !== 'json_schema') throw reader.refusal('response_format.type', 'takes no such format');
  const at = 'response_format.json_schema';
  const { schema, strict } = reader.members(json_schema, at);
  if (schema === undefined) return JSON_OUTPUT;
  flagAt(strict ?? false, `${at}.strict`);
  const written = convertSchemaToGemini(objectAt(schema, `${at}.schema`), `${at}.schema`, reader);
  return { ...JSON_OUTPUT, responseJsonSchema: written };
}
