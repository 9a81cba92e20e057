import type { UserAttributes } from './user-attributes.ts';

/** A person whom an identity provider provisions. */
export interface StoredUser extends UserAttributes {
  id: string;
  /** Address by which it is a member, in lower case. */
  email: string;
  /** The account of which it is a member. */
  accountId: string;
  /** Membership in the account; null: the user owns the account. */
  memberId: string | null;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** User as audit events show it. */
export function userAuditResource(user: StoredUser) {
  return {
    object: 'scim_user',
    id: user.id,
    user_name: user.userName,
    external_id: user.externalId ?? null,
    display_name: user.displayName ?? null,
    name: [user.name.formatted, user.name.givenName, user.name.familyName].map((part) => part ?? null),
    emails: user.emails.map(({ value }) => value),
    email: user.email,
    active: user.active,
    account_id: user.accountId,
    member_id: user.memberId,
  };
}
