import { isObject, type JsonObject } from '../json/json-object.ts';

/** Members of a schema that hold values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);
/** Members that hold schemas under names of the caller's choice, `default` and `properties` among them. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
]);

/** A JSON schema and every one within it, but for those that are mere `true` or `false`. */
export function* schemasIn(schema: unknown): Generator<JsonObject> {
  if (Array.isArray(schema)) {
    for (const one of schema) yield* schemasIn(one);
    return;
  }
  if (!isObject(schema)) return;
  yield schema;
  for (const [name, member] of Object.entries(schema)) {
    if (VALUES.has(name)) continue;
    yield* schemasIn(NAMED.has(name) && isObject(member) ? Object.values(member) : member);
  }
}

export function isOfObject({ type }: JsonObject): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}
