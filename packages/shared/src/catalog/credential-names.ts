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

const credential = z.strictObject({
  name: credentialName.describe('The name of the variable, or of the stored credential.'),
  weight: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1)
    .describe('Credentials get conversations, and requests without one, in proportion to their weights.'),
});

const credentials = z
  .array(z.union([credentialName, credential], { error: notNames }))
  .min(1, 'a list of credentials has at least one name; leave it out where none is needed')
  // Not `max`: a failed union hides the reason, and the user would only read "must be the name or a list".
  .refine(({ length }) => length <= MAX_CREDENTIALS, `a provider has at most ${MAX_CREDENTIALS} credentials`)
  .refine((list) => new Set(list.map(nameOf)).size === list.length, 'a variable is listed twice');

/** The variables with the credentials of a provider, and their weights. One name is a list of one. */
export const credentialNames = z
  .union([credentialName, credentials], { error: notNames })
  .transform((given) =>
    [given].flat().map((entry) => (typeof entry === 'string' ? { name: entry, weight: 1 } : entry)),
  );

function nameOf(entry: string | z.infer<typeof credential>): string {
  return typeof entry === 'string' ? entry : entry.name;
}

type Credentials = z.infer<typeof credentialNames>;

interface SplitCredentials {
  credential_env?: string[];
  credential_weights?: number[];
}

/** Splits credentials into names and weights; no weights where they change nothing. */
export function splitCredentials(credentials: Credentials | undefined): SplitCredentials {
  if (credentials === undefined) return {};
  const weights = credentials.map(({ weight }) => weight);
  return {
    credential_env: credentials.map(({ name }) => name),
    ...(weights.every((weight) => weight === weights[0]) ? {} : { credential_weights: weights }),
  };
}

/** Reverses `splitCredentials`. */
export function joinCredentials({
  credential_env: names,
  credential_weights: weights = [],
}: SplitCredentials): { credential_env?: Credentials } {
  if (names === undefined) return {};
  return { credential_env: names.map((name, index) => ({ name, weight: weights[index] ?? 1 })) };
}

function notNames({ code }: { code: string }): string | undefined {
  return code === 'invalid_union'
    ? 'must be the name of a variable, or a list of names or of { name, weight }'
    : undefined;
}
