/** Roles in an account, lowest first. Each includes the roles before it. */
export const ACCOUNT_ROLES = ['viewer', 'developer', 'admin', 'owner'] as const;
export type AccountRole = (typeof ACCOUNT_ROLES)[number];

/** Roles in the installation, lowest first. An auditor reads everything and changes nothing. */
export const INSTALLATION_ROLES = ['auditor', 'operator'] as const;
export type InstallationRole = (typeof INSTALLATION_ROLES)[number];

/** Returns true if a role is `minRole` or higher. */
export function hasRole(role: AccountRole, minRole: AccountRole): boolean {
  return ACCOUNT_ROLES.indexOf(role) >= ACCOUNT_ROLES.indexOf(minRole);
}
