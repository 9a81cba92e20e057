import { isObject, type JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';

/** Source: `responseJsonSchema` and `parametersJsonSchema` in Google's API reference. */
const VALUES: ReadonlySet<string> = new Set([
  '$id',
  '$ref',
  '$anchor',
  'type',
  'format',
  'title',
  'description',
  'enum',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'required',
  'propertyOrdering',
]);
const SCHEMAS: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
  'additionalProperties',
]);
const NAMED_SCHEMAS: ReadonlySet<string> = new Set(['properties', '$defs']);
/** Keywords that constrain nothing, so they are left out without a note. */
const NEUTRAL: ReadonlySet<string> = new Set(['$schema', '$comment', '$vocabulary', 'definitions']);
const REFERENCE_TO_DEFINITIONS = /^#\/definitions\//;

/** Ignores keywords that Gemini lacks, by name, even in strict schemas: so does Google's own OpenAI API. */
export function convertSchemaToGemini(schema: JsonObject, path: string, reader: FieldReader): JsonObject {
  return new SchemaWriter(path, reader).write(schema);
}

class SchemaWriter {
  readonly #name: string;
  readonly #reader: FieldReader;

  constructor(path: string, reader: FieldReader) {
    this.#name = path.replaceAll(/\[\d+\]/g, '[]');
    this.#reader = reader;
  }

  write(schema: JsonObject): JsonObject {
    const written: [string, unknown][] = [];
    for (const [name, value] of Object.entries(schema)) {
      if (name === '$ref') written.push([name, referenceOf(value)]);
      else if (name === 'const') written.push(['enum', [value]]);
      else if (name === 'definitions') written.push(['$defs', this.#named(value)]);
      else if (VALUES.has(name)) written.push([name, value]);
      else if (SCHEMAS.has(name)) written.push([name, this.#within(value)]);
      else if (NAMED_SCHEMAS.has(name)) written.push([name, this.#named(value)]);
      else if (name === 'allOf' && isSingle(value)) written.push(...Object.entries(this.#only(value)));
      else if (!NEUTRAL.has(name)) this.#ignore(name);
    }
    const whole = Object.fromEntries(written);
    // "If `$ref` is set on a sub-schema, no other properties, except for those starting as a `$`, may be set"
    if (!('$ref' in whole)) return whole;
    return Object.fromEntries(written.filter(([name]) => name.startsWith('$')));
  }

  #within(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#within(one));
    return isObject(value) ? this.write(value) : value;
  }

  #named(value: unknown): unknown {
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.#within(one)]));
  }

  /** Schema generators wrap a single reference in `allOf`. */
  #only([only]: readonly unknown[]): JsonObject {
    return isObject(only) ? this.write(only) : {};
  }

  #ignore(keyword: string): void {
    this.#reader.ignore(`${this.#name}.${keyword}`);
  }
}

function isSingle(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length === 1;
}

function referenceOf(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(REFERENCE_TO_DEFINITIONS, '#/$defs/') : value;
}
