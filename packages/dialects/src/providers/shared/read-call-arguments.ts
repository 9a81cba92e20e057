import { isObject, type JsonObject } from '../../json/json-object.ts';
import { parseBoundedExactJson } from '../../json/parse-bounded-json.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { textAt } from '../../translation/field-values.ts';

/** Reads the arguments of a call as an object; a function without parameters may be called without any. */
export function readCallArguments(written: unknown, path: string, reader: FieldReader): JsonObject {
  if (written === undefined || written === '') return {};
  const input = parseBoundedExactJson(textAt(written, path));
  if (isObject(input)) return input;
  throw reader.refusal(path, 'takes arguments that are a JSON object');
}
