import { z } from 'zod';
import { isReservedVariable } from './reserved-variables.ts';

/** Bounds the attempts of one request: it tries each credential once. */
const MAX_CREDENTIALS = 16;

/** The name of a provider's credential: an environment variable or a stored value. */
export const credentialName = z
  .string()
  .max(200)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'not the name of an environment variable')
  .refine((variable) => !isReservedVariable(variable), 'this variable is a secret of the gateway itself');

const names = z
  .array(credentialName)
  .min(1, 'a list of credentials has at least one name; leave it out where none is needed')
  // Not `max`: a failed union hides the reason, and the user would only read "must be the name or a list".
  .refine(({ length }) => length <= MAX_CREDENTIALS, `a provider has at most ${MAX_CREDENTIALS} credentials`)
  .refine((list) => new Set(list).size === list.length, 'a variable is listed twice');

/** The variables with the credentials of a provider. One name and a list of one name mean the same. */
export const credentialNames = z
  .union([credentialName, names], { error: notNames })
  .transform((given) => (typeof given === 'string' ? [given] : given));

function notNames({ code }: { code: string }): string | undefined {
  return code === 'invalid_union' ? 'must be the name of a variable, or a list of such names' : undefined;
}
