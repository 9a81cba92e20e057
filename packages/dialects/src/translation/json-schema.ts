import { isObject, type JsonObject } from '../json/json-object.ts';

/** Members of a schema that hold values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);
/** Members with schemas under names that the caller chooses; `default` may be one of them. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
]);

/** Yields a JSON schema and all schemas inside it, except `true` and `false`. */
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

/** Removes keywords at any depth. Returns the same object if there are none. */
export function withoutKeywords(schema: unknown, keywords: ReadonlySet<string>): unknown {
  if (Array.isArray(schema)) {
    const cleaned = schema.map((one) => withoutKeywords(one, keywords));
    return cleaned.every((one, index) => one === schema[index]) ? schema : cleaned;
  }
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema).filter(([name]) => !keywords.has(name));
  const cleaned = members.map(([name, member]): [string, unknown] => {
    if (VALUES.has(name)) return [name, member];
    if (!NAMED.has(name) || !isObject(member)) return [name, withoutKeywords(member, keywords)];
    const named = Object.entries(member).map(([key, one]) => [key, withoutKeywords(one, keywords)] as const);
    const isSame = named.every(([key, one]) => one === member[key]);
    return [name, isSame ? member : Object.fromEntries(named)];
  });
  const isSame =
    members.length === Object.keys(schema).length && cleaned.every(([name, one]) => one === schema[name]);
  return isSame ? schema : Object.fromEntries(cleaned);
}
