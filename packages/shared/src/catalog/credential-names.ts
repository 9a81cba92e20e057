import { z } from 'zod';
import { isReservedVariable } from './reserved-variables.ts';

/** More than anybody has; a request tries each of them once at most. */
const MOST_CREDENTIALS = 16;

const name = z
  .string()
  .max(200)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'not the name of an environment variable')
  .refine((variable) => !isReservedVariable(variable), 'this variable is a secret of the gateway itself');

const names = z
  .array(name)
  .min(1, 'a list of credentials has at least one name; leave it out where none is needed')
  // Not `max`: of a union nothing but that it is neither would be said of a list that is too long.
  .refine(
    ({ length }) => length <= MOST_CREDENTIALS,
    `a provider has at most ${MOST_CREDENTIALS} credentials`,
  )
  .refine((list) => new Set(list).size === list.length, 'a variable is listed twice');

/** The variables that hold the credentials of a provider. One name, and a list of one, are the same catalog. */
export const credentialNames = z
  .union([name, names], { error: notNames })
  .transform((given) => (typeof given === 'string' ? [given] : given));

function notNames({ code }: { code: string }): string | undefined {
  return code === 'invalid_union' ? 'must be the name of a variable, or a list of such names' : undefined;
}
