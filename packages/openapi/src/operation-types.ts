import { z } from 'zod';

type Schema = z.infer<typeof schema>;
const schema = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  get anyOf() {
    return z.array(schema).optional();
  },
  get oneOf() {
    return z.array(schema).optional();
  },
  get allOf() {
    return z.array(schema).optional();
  },
  get items() {
    return z.union([z.boolean(), schema]).optional();
  },
  get properties() {
    return z.record(z.string(), schema).optional();
  },
  required: z.array(z.string()).optional(),
  get additionalProperties() {
    return z.union([z.boolean(), schema]).optional();
  },
});

const content = z.object({ content: z.object({ 'application/json': z.object({ schema }) }) });
const operation = z.looseObject({
  operationId: z.string(),
  parameters: z
    .array(z.object({ name: z.string(), in: z.string(), required: z.boolean().optional(), schema }))
    .default([]),
  requestBody: content.extend({ required: z.boolean().optional() }).optional(),
  responses: z.record(z.string(), z.unknown()),
});
const document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: z.record(z.string(), schema) }),
});

/**
 * Writes the TypeScript types of a document: one for each named schema, and `Operations` by operationId, with
 * method, response, and path, query and body as far as a request has them.
 */
export function operationTypes(given: unknown): string {
  const { components, paths } = document.parse(given);
  const operations = Object.values(paths)
    .flatMap((byMethod) => Object.entries(byMethod))
    .map(([method, each]) => `  ${each.operationId}: ${operationType(method, each)};`);
  const text = `export interface Operations {\n${operations.join('\n')}\n}\n`;
  const named = namedTypes(components.schemas, text);
  return `${named.join('\n')}\n${text}`;
}

/** Writes the named schemas that a text uses, directly or through other schemas. */
function namedTypes(schemas: Record<string, Schema>, text: string): string[] {
  const written = new Map<string, string>();
  const pending = [text];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [name, each] of Object.entries(schemas)) {
      if (written.has(name) || !new RegExp(`\\b${name}\\b`).test(next)) continue;
      const type = `export type ${name} = ${typeOf(each)};\n`;
      written.set(name, type);
      pending.push(type);
    }
  }
  return [...written].sort(([a], [b]) => a.localeCompare(b, 'en')).map(([, type]) => type);
}

function operationType(method: string, { parameters, requestBody, responses }: z.infer<typeof operation>) {
  const located = (place: string) => parameters.filter((each) => each.in === place);
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  return objectOf([
    `method: '${method.toUpperCase()}'`,
    ...parametersMember('path', located('path')),
    ...parametersMember('query', located('query')),
    ...(requestBody === undefined ? [] : [bodyMember(requestBody)]),
    `response: ${typeOf(content.parse(success).content['application/json'].schema)}`,
  ]);
}

/** Writes a body as optional, too, if none of its members is required. */
function bodyMember({
  content: sent,
  required,
}: NonNullable<z.infer<typeof operation>['requestBody']>): string {
  const { schema: type } = sent['application/json'];
  const needsMember = type.type !== 'object' || (type.required ?? []).length > 0;
  return `body${optional(required && needsMember)}: ${typeOf(type)}`;
}

function parametersMember(name: string, given: z.infer<typeof operation>['parameters']): string[] {
  if (given.length === 0) return [];
  const members = given.map((each) => member(each.name, each.schema, each.required));
  return [`${name}${optional(given.some(({ required }) => required))}: ${objectOf(members)}`];
}

function member(name: string, type: Schema, isRequired = false): string {
  const key = /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name);
  return `${key}${optional(isRequired)}: ${typeOf(type)}`;
}

function optional(isRequired = false): string {
  return isRequired ? '' : '?';
}

function objectOf(members: readonly string[]): string {
  return members.length === 0 ? 'Record<never, never>' : `{ ${members.join('; ')} }`;
}

function typeOf(of: Schema): string {
  if (of.$ref !== undefined) return of.$ref.slice(of.$ref.lastIndexOf('/') + 1);
  if (of.const !== undefined) return JSON.stringify(of.const);
  if (of.enum !== undefined) return union(of.enum.map((value) => JSON.stringify(value)));
  const choices = of.anyOf ?? of.oneOf;
  if (choices !== undefined) return union(choices.map(typeOf));
  if (of.allOf !== undefined) return of.allOf.map((each) => `(${typeOf(each)})`).join(' & ');
  if (Array.isArray(of.type)) return union(of.type.map((type) => typeOf({ ...of, type })));
  switch (of.type) {
    case 'array':
      return `(${of.items === undefined || typeof of.items === 'boolean' ? 'unknown' : typeOf(of.items)})[]`;
    case 'object':
      return objectType(of);
    case 'integer':
      return 'number';
    case undefined:
      return 'unknown';
    default:
      return of.type;
  }
}

function objectType({ additionalProperties, properties = {}, required = [] }: Schema): string {
  const members = Object.entries(properties).map(([name, each]) =>
    member(name, each, required.includes(name)),
  );
  if (members.length > 0 || typeof additionalProperties !== 'object') return objectOf(members);
  return `Record<string, ${typeOf(additionalProperties)}>`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}
