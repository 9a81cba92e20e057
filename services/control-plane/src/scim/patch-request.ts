import { checkJson } from '@model-gateway/shared';
import { z } from 'zod';
import { type AttributePath, parsePath } from './filter/parse-filter.ts';
import { SCHEMA } from './schema-names.ts';
import { invalidPath, invalidSyntax, invalidValue, ScimError } from './scim-error.ts';

export type PatchOp = 'add' | 'replace' | 'remove';

/** Operation on one attribute. One without a path becomes an operation for each of its attributes. */
export interface PatchOperation {
  op: PatchOp;
  path: AttributePath;
  /** Undefined: `remove` without values. */
  value: unknown;
}

const MAX_OPERATIONS = 1_000;

const patchRequest = z.object({
  schemas: z.array(z.string()).refine((schemas) => schemas.includes(SCHEMA.patch)),
  Operations: z
    .array(z.object({ op: z.string(), path: z.string().nullish(), value: z.unknown().optional() }))
    .min(1)
    .max(MAX_OPERATIONS),
});

const objectValue = z.record(z.string(), z.unknown());

/**
 * Reads a PATCH request. Operations and names of attributes match in any case: Entra ID sends Add, Replace
 * and Remove.
 * @throws ScimError 400
 */
export function parsePatch(body: unknown): PatchOperation[] {
  const request = checkJson(patchRequest, body);
  if (!request.success) {
    throw invalidSyntax(
      `expected a PatchOp with its schema ${SCHEMA.patch} and 1 to ${MAX_OPERATIONS} Operations`,
    );
  }
  return request.data.Operations.flatMap(({ op: given, path, value }) => {
    const op = parseOp(given);
    if (path) return [{ op, path: pathOf(path), value }];
    if (op === 'remove') throw new ScimError(400, 'remove needs a path', 'noTarget');
    const attributes = objectValue.safeParse(value);
    if (!attributes.success) throw invalidValue(`${given} without a path needs an object of attributes`);
    return Object.entries(attributes.data).map(([name, each]) => ({ op, path: pathOf(name), value: each }));
  });
}

function parseOp(text: string): PatchOp {
  const op = text.toLowerCase();
  if (op === 'add' || op === 'replace' || op === 'remove') return op;
  throw invalidSyntax('op must be add, replace or remove');
}

function pathOf(text: string): AttributePath {
  try {
    return parsePath(text);
  } catch (error) {
    throw error instanceof ScimError ? invalidPath(`a path cannot be read: ${error.message}`) : error;
  }
}
