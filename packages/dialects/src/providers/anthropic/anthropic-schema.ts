import { isObject, type JsonObject, objectsIn } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { isOfObject, schemasIn } from '../../translation/json-schema.ts';

/**
 * Anthropic refuses these in strict schemas: "For 'integer' type, property 'minimum' is not supported"
 * (https://github.com/agentjido/req_llm/issues/302, https://github.com/BerriAI/litellm/issues/20813).
 */
const REFUSED = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'patternProperties',
];
/** Formats that it enforces, from its client libraries. */
const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);

/**
 * Returns a schema that Anthropic can enforce: objects without further members, and bounds in descriptions,
 * where the model reads them. Schemas with such bounds are named. @param name of the field
 */
export function anthropicSchema(schema: JsonObject, name: string, reader: FieldReader): JsonObject {
  const copy = structuredClone(schema);
  for (const one of schemasIn(copy)) {
    const removed = removeRefused(one);
    if (Object.keys(removed).length === 0) continue;
    reader.ignore(name);
    const bounds = JSON.stringify(removed);
    const { description } = one;
    Object.assign(one, {
      description: typeof description === 'string' ? `${description}\n\n${bounds}` : bounds,
    });
  }
  return copy;
}

type Mutable = Record<string, unknown>;

function removeRefused(schema: Mutable): JsonObject {
  const removed: Mutable = {};
  for (const keyword of REFUSED) {
    const value = schema[keyword];
    const isTaken = keyword === 'minItems' && (value === 0 || value === 1);
    if (value === undefined || isTaken) continue;
    removed[keyword] = value;
    delete schema[keyword];
  }
  if (typeof schema.format === 'string' && !FORMATS.has(schema.format)) {
    removed.format = schema.format;
    delete schema.format;
  }
  if (Array.isArray(schema.oneOf) && schema.anyOf === undefined) {
    schema.anyOf = schema.oneOf;
    delete schema.oneOf;
  }
  if (isOfObject(schema)) {
    // A record has members of any name, so a strict schema cannot list them.
    if (isObject(schema.additionalProperties)) removed.additionalProperties = schema.additionalProperties;
    schema.additionalProperties = false;
  }
  return removed;
}

const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'] as const;

/**
 * Merges alternatives at the top of a tool's schema, and requires what all of them require: "input_schema
 * does not support oneOf, allOf, or anyOf at the top level"
 * (https://github.com/anthropics/claude-code/issues/5973).
 */
export function anthropicInputSchema(schema: JsonObject, name: string, reader: FieldReader): JsonObject {
  // Messages requires both members, Chat Completions none, for a function without parameters.
  const whole: JsonObject = 'type' in schema ? schema : { type: 'object', properties: {}, ...schema };
  if (!ALTERNATIVES.some((keyword) => keyword in whole)) return whole;
  reader.ignore(name);
  const { allOf, anyOf, oneOf, ...rest } = whole;
  const every = [rest, ...objectsIn(allOf)];
  const some = [...objectsIn(anyOf), ...objectsIn(oneOf)];
  const properties = [...some, ...every].map((one) => (isObject(one.properties) ? one.properties : {}));
  const alwaysRequired = every.flatMap(requiredIn);
  const [first, ...others] = some.map(requiredIn);
  const shared = (first ?? []).filter((member) => others.every((one) => one.includes(member)));
  const required = [...new Set([...alwaysRequired, ...shared])];
  return {
    ...rest,
    properties: Object.assign({}, ...properties),
    ...(required.length === 0 ? {} : { required }),
  };
}

function requiredIn({ required }: JsonObject): unknown[] {
  return Array.isArray(required) ? required : [];
}
