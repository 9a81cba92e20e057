import {
  type AccountRole,
  hasRole,
  INSTALLATION_ROLES,
  type InstallationRole,
} from '@model-gateway/shared/access';
import type { Actor, UserActor } from '../actors/actor.ts';
import { notFound, permissionDenied } from '../errors/control-plane-error.ts';
import type { RoleStore } from './role-store.ts';
import { accessOfPath } from './rpc-access.ts';

export interface AuthorizeContext {
  roleStore: Pick<RoleStore, 'accountRoleOf' | 'hasAccount' | 'installationRolesOf'>;
}

/**
 * Authorizes a user for an RPC of the dashboard, by its roles in the database. Returns other actors
 * unchanged. Users with a role in the installation may read any account as its owner.
 * @returns the user with the roles that the RPC needs
 * @throws ControlPlaneError not_found (no role in the account), permission_denied (role, suspended account)
 */
export async function authorizeUser<Who extends Actor>(
  { roleStore }: AuthorizeContext,
  actor: Who,
  rpc: string,
): Promise<Who> {
  if (actor.type !== 'user') return actor;
  const access = accessOfPath(`/gateway.v1.DashboardService/${rpc}`);
  if (access === undefined) throw new Error(`${rpc} is no RPC of the dashboard`);
  const { accountId, isViewing, signInId } = actor;
  const needsRoles = access.installation !== undefined || isViewing;
  const installationRoles = needsRoles ? await roleStore.installationRolesOf(signInId) : [];
  if (access.installation !== undefined) {
    requireInstallationRole(installationRoles, access.installation);
    if (access.role === undefined) return { ...actor, installationRoles };
  }
  if (isViewing) {
    if (installationRoles.length === 0 || !(await roleStore.hasAccount(accountId)))
      throw notFound(`there is no account ${accountId}`);
    if (!access.isViewable) throw permissionDenied('you look at this account, and can change nothing in it');
    return { ...actor, installationRoles, role: 'owner' };
  }
  if (access.role === undefined) return actor;
  const held = await roleStore.accountRoleOf(accountId, signInId);
  if (held === undefined) throw notFound(`there is no account ${accountId}`);
  const { isSuspended, memberId, role } = held;
  if (isSuspended) throw permissionDenied('this account is suspended: ask the operator to resume it');
  requireRole({ role }, access.role);
  return { ...actor, installationRoles, role, ...(memberId === undefined ? {} : { memberId }) };
}

/** @throws ControlPlaneError permission_denied, naming the role that is needed */
function requireInstallationRole(roles: readonly InstallationRole[], minRole: InstallationRole): void {
  const index = INSTALLATION_ROLES.indexOf(minRole);
  if (roles.some((role) => INSTALLATION_ROLES.indexOf(role) >= index)) return;
  throw permissionDenied(`this needs the role ${minRole} in the installation`);
}

/** @throws ControlPlaneError permission_denied, naming the role that is needed */
export function requireRole({ role }: Pick<UserActor, 'role'>, minRole: AccountRole): void {
  if (role !== undefined && hasRole(role, minRole)) return;
  throw permissionDenied(`this needs the role ${minRole} in the account; yours is ${role ?? 'none'}`);
}
