import type { AccountRole } from '../../../../wire/members.ts';

export const ROLE_LABELS: Record<AccountRole, string> = {
  owner: 'Owner',
  admin: 'Admin',
  developer: 'Developer',
  viewer: 'Viewer',
};

const MEANINGS: Record<AccountRole, string> = {
  viewer: 'sees usage',
  developer: 'creates keys and sees their usage',
  admin: 'does everything except change owners',
  owner: 'does everything',
};

/** Returns the roles that somebody may give, for a select. @param isOwner true: an owner gives every role */
export function roleChoices(isOwner: boolean) {
  const roles: AccountRole[] = isOwner
    ? ['viewer', 'developer', 'admin', 'owner']
    : ['viewer', 'developer', 'admin'];
  return roles.map((value) => ({ value, label: `${ROLE_LABELS[value]}: ${MEANINGS[value]}` }));
}
