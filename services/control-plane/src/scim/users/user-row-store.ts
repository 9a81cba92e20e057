import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import type { Directory } from '../directory.ts';
import { uniqueness } from '../scim-error.ts';
import type { StoredUser } from './stored-user.ts';
import { addressOf, parseUser, type UserAttributes } from './user-attributes.ts';

const optional = z.string().transform((value) => (value === '' ? undefined : value));
const row = z.object({
  id: z.string(),
  userName: z.string(),
  externalId: z.string().nullable(),
  displayName: optional,
  givenName: optional,
  familyName: optional,
  formattedName: optional,
  emails: z.unknown(),
  email: z.string(),
  active: z.boolean(),
  accountId: z.string(),
  memberId: z.string().nullable(),
  version: z.int(),
  createdAt: z.date(),
  updatedAt: z.date(),
});

/** Columns of a row `u` of scim_users in the form of `storedUser`. */
export const USER_COLUMNS = Prisma.sql`
  u.id, u.user_name AS "userName", u.external_id AS "externalId", u.display_name AS "displayName",
  u.given_name AS "givenName", u.family_name AS "familyName", u.formatted_name AS "formattedName", u.emails,
  u.email, u.active, u.account_id AS "accountId", u.member_id AS "memberId", u.version,
  u.created_at AS "createdAt", u.updated_at AS "updatedAt"`;

export const storedUser = row.transform((stored): StoredUser => {
  const { emails, externalId, familyName, formattedName, givenName, ...rest } = stored;
  const name = { formatted: formattedName, familyName, givenName };
  return { ...rest, ...parseUser({ ...rest, externalId, emails, name }, rest.active) };
});

/** Columns of scim_users that follow from the attributes of a user. @throws ScimError 400 */
export function userData(user: UserAttributes) {
  return {
    userName: user.userName,
    userNameKey: user.userName.toLowerCase(),
    externalId: user.externalId ?? null,
    displayName: user.displayName ?? '',
    givenName: user.name.givenName ?? '',
    familyName: user.name.familyName ?? '',
    formattedName: user.name.formatted ?? '',
    emails: JSON.parse(JSON.stringify(user.emails)),
    emailKeys: [...new Set(user.emails.map(({ value }) => value.toLowerCase()))],
    email: addressOf(user),
    active: user.active,
  };
}

/** Returns the key of the scope in which an address belongs to one user. */
export function scopeOf({ accountId }: Directory): string {
  return accountId ?? '';
}

export function userIsTaken() {
  return uniqueness(
    'another user has this userName, or this e-mail address belongs to a user of another identity provider',
  );
}
