/** Roles in an account, from the least to the most powerful; each may do what the roles before it may. */
export const ACCOUNT_ROLES = ['viewer', 'developer', 'admin', 'owner'] as const;
export type AccountRole = (typeof ACCOUNT_ROLES)[number];

/** Roles in the installation: an auditor reads everything and changes nothing. */
export const INSTALLATION_ROLES = ['auditor', 'operator'] as const;
export type InstallationRole = (typeof INSTALLATION_ROLES)[number];

/** Returns true if a role allows what `least` does. */
export function hasRole(role: AccountRole, least: AccountRole): boolean {
  return ACCOUNT_ROLES.indexOf(role) >= ACCOUNT_ROLES.indexOf(least);
}
