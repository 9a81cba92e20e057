import { z } from 'zod';
import { ProviderError } from '../errors/provider-error.ts';

interface SchemaPlace {
  /** How an error names it. */
  what: string;
  param: string;
  code: string;
}

const objectNode = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  additionalProperties: z.unknown().optional(),
});

/**
 * Every object of a strict schema names all its members as required and allows no others,
 * https://platform.openai.com/docs/guides/structured-outputs, "Supported schemas".
 * @throws ProviderError 400
 */
export function checkSchema(node: unknown, place: SchemaPlace, path: readonly string[] = []): void {
  if (typeof node !== 'object' || node === null) return;
  const parsed = objectNode.safeParse(node);
  if (parsed.success) checkObject(parsed.data, place, path);
  for (const [name, child] of Object.entries(node)) checkSchema(child, place, [...path, name]);
}

function checkObject(
  { additionalProperties, properties = {}, required = [] }: z.infer<typeof objectNode>,
  { code, param, what }: SchemaPlace,
  path: readonly string[],
): void {
  const context = `In context=(${path.map((name) => `'${name}'`).join(', ')})`;
  const refuse = (problem: string) => {
    throw new ProviderError(400, `Invalid schema for ${what}: ${context}, ${problem}`, { param, code });
  };
  if (additionalProperties !== false)
    refuse("'additionalProperties' is required to be supplied and to be false.");
  const open = Object.keys(properties).find((name) => !required.includes(name));
  if (open === undefined) return;
  refuse(
    "'required' is required to be supplied and to be an array including every key in properties. " +
      `Missing '${open}'.`,
  );
}
