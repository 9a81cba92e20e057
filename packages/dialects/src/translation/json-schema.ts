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

/** Returns a schema without some keywords, at any depth; the same one if it has none of them. */
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
