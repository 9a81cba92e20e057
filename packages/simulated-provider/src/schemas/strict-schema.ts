import { ProviderError } from '../errors/provider-error.ts';

interface SchemaPlace {
  /** How an error names it. */
  what: string;
  param: string;
  code?: string;
}

/**
 * Requires every object of a strict schema to list all its members as required and to allow no others,
 * https://platform.openai.com/docs/guides/structured-outputs, "Supported schemas". `oneOf`: responses quoted
 * in https://github.com/openai/openai-agents-python/issues/474.
 */
export function checkStrictSchema(node: unknown, place: SchemaPlace, path: readonly string[] = []): void {
  if (typeof node !== 'object' || node === null) return;
  const members: Record<string, unknown> = { ...node };
  const { additionalProperties, oneOf, properties = {}, required = [], type } = members;
  if (Array.isArray(oneOf)) refuseSchema(place, path, "'oneOf' is not permitted.");
  if (type === 'object' && isObject(properties) && Array.isArray(required)) {
    const missing = Object.keys(properties).find((name) => !required.includes(name));
    if (additionalProperties !== false)
      refuseSchema(place, path, "'additionalProperties' is required to be supplied and to be false.");
    if (missing !== undefined)
      refuseSchema(
        place,
        path,
        "'required' is required to be supplied and to be an array including every key in properties. " +
          `Missing '${missing}'.`,
      );
  }
  for (const [name, child] of Object.entries(node)) checkStrictSchema(child, place, [...path, name]);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuseSchema({ code, param, what }: SchemaPlace, path: readonly string[], problem: string): never {
  const context = `In context=(${path.map((name) => `'${name}'`).join(', ')})`;
  throw new ProviderError(400, `Invalid schema for ${what}: ${context}, ${problem}`, {
    param,
    ...(code === undefined ? {} : { code }),
  });
}
