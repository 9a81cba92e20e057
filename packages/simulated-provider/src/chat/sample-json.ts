import { z } from 'zod';
import type { SeededChoice } from '../text/seeded-choice.ts';
import type { Topic } from '../text/topic.ts';

/** The part of JSON Schema that samples follow; everything else is ignored. */
const schemaNode = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).min(1).optional(),
  const: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).min(1).optional(),
  oneOf: z.array(z.unknown()).min(1).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  format: z.string().optional(),
});

const MAX_DEPTH = 8;
const FORMATS: Record<string, string> = {
  date: '2025-06-01',
  'date-time': '2025-06-01T12:00:00Z',
  time: '12:00:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  uuid: '7d9f1c52-3b0a-4a52-9d5e-1f6a3c8b2e40',
};

/** Returns a value that fits a JSON schema, filled with the topic of the conversation. */
export function sampleJson(
  schema: unknown,
  topic: Topic,
  choice: SeededChoice,
  { root = schema, depth = 0 } = {},
): unknown {
  const inner = (one: unknown) => sampleJson(one, topic, choice, { root, depth: depth + 1 });
  const parsed = schemaNode.safeParse(schema);
  if (!parsed.success || depth > MAX_DEPTH) return null;
  const node = parsed.data;
  if (node.$ref !== undefined) return inner(resolve(root, node.$ref));
  if (node.const !== undefined) return node.const;
  if (node.enum !== undefined) return choice.pick(node.enum);
  const alternatives = node.anyOf ?? node.oneOf;
  if (alternatives !== undefined) return inner(alternatives[0]);
  switch (typeOf(node)) {
    case 'object':
      return Object.fromEntries(
        Object.entries(node.properties ?? {}).map(([name, property]) => [name, inner(property)]),
      );
    case 'array':
      return node.items === undefined ? [] : [inner(node.items)];
    case 'integer':
      return Math.floor(numberBetween(Math.ceil(node.minimum ?? 1), node.maximum, choice));
    case 'number':
      return numberBetween(node.minimum ?? 1, node.maximum, choice);
    case 'boolean':
      return choice.below(2) === 1;
    case 'null':
      return null;
    default:
      return FORMATS[node.format ?? ''] ?? text(topic, choice);
  }
}

/** Follows a reference inside the document, such as `#/$defs/city`. */
function resolve(root: unknown, reference: string): unknown {
  const names = reference.split('/').slice(1);
  return names.reduce<unknown>((at, name) => Object(at)[name], root);
}

function typeOf({ type, properties }: z.infer<typeof schemaNode>): string {
  if (type === undefined) return properties === undefined ? 'string' : 'object';
  return typeof type === 'string' ? type : (type[0] ?? 'string');
}

function numberBetween(minimum: number, maximum: number | undefined, choice: SeededChoice): number {
  return minimum + choice.below(Math.max(1, Math.min((maximum ?? minimum + 9) - minimum + 1, 1_000)));
}

/** Prefers names, because most arguments of tools are a place, a product or a person. */
function text({ phrase, keywords }: Topic, choice: SeededChoice): string {
  const names = keywords.filter((word) => /^\p{Lu}/u.test(word));
  return names.length > 0 ? choice.pick(names) : (phrase ?? 'example');
}
