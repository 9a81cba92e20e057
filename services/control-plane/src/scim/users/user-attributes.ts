import { checkJson } from '@model-gateway/shared';
import { z } from 'zod';
import { parseEmail } from '../../accounts/email-address.ts';
import { invalidValue } from '../scim-error.ts';

const MAX_EMAILS = 20;
const text = z.string().max(255);
const optionalText = text.nullish().transform((value) => value ?? undefined);

/** Entra ID sends "True" and "False". */
const scimBoolean = z.union([
  z.boolean(),
  z
    .string()
    .toLowerCase()
    .pipe(z.enum(['true', 'false']))
    .transform((value) => value === 'true'),
]);

const email = z.object({
  value: text.min(1),
  type: optionalText,
  display: optionalText,
  primary: scimBoolean.nullish().transform((value) => value ?? undefined),
});

/** Attributes of a user that the gateway stores. It accepts and drops all others. */
const userAttributes = z.object({
  userName: z.string().trim().min(1).max(255),
  externalId: optionalText,
  displayName: optionalText,
  name: z
    .object({ formatted: optionalText, familyName: optionalText, givenName: optionalText })
    .nullish()
    .transform(
      (value): { [Part in 'formatted' | 'familyName' | 'givenName']?: string | undefined } => value ?? {},
    ),
  emails: z
    .array(email)
    .max(MAX_EMAILS)
    .nullish()
    .transform((value) => value ?? []),
  active: scimBoolean,
});

export type UserAttributes = z.infer<typeof userAttributes>;

const KEPT = new Map(Object.keys(userAttributes.shape).map((name) => [name.toLowerCase(), name]));

/** Returns the name of an attribute that is kept, given in any case; undefined for all others. */
export function keptAttribute(name: string): string | undefined {
  return KEPT.get(name.toLowerCase());
}

/**
 * Checks the body of a user. Names of attributes match in any case.
 * @param active value for a body without `active`
 * @throws ScimError 400 invalidValue
 */
export function parseUser(body: unknown, active: boolean): UserAttributes {
  const object = z.record(z.string(), z.unknown()).safeParse(body);
  if (!object.success) throw invalidValue('expected a user as a JSON object');
  const known = Object.entries(object.data).flatMap(([name, value]) => {
    const kept = keptAttribute(name);
    return kept === undefined ? [] : [[kept, value] as const];
  });
  const given: Record<string, unknown> = Object.fromEntries(known);
  const user = checkJson(userAttributes, { ...given, active: given.active ?? active });
  if (user.success) return user.data;
  const [issue] = user.error.issues;
  throw invalidValue(`${issue?.path.join('.') || 'the user'} cannot be used: ${issue?.message}`);
}

/**
 * Returns the address by which a user is a member, in lower case: the primary e-mail address, else that of
 * work, else the first, else the user name.
 * @throws ScimError 400 invalidValue
 */
export function addressOf({ emails, userName }: UserAttributes): string {
  const chosen =
    emails.find(({ primary }) => primary === true) ??
    emails.find(({ type }) => type?.toLowerCase() === 'work') ??
    emails[0];
  const address = parseEmail(chosen?.value ?? userName);
  if (address !== undefined) return address;
  throw invalidValue('a user needs a valid e-mail address: in emails, or as userName');
}
