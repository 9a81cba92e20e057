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
  roleStore: Pick<RoleStore, 'accountRoleOf' | 'installationRolesOf'>;
}

/**
 * Authorizes a user for an RPC of the dashboard, by its roles in the database. Returns other actors
 * unchanged.
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
  const { accountId, signInId } = actor;
  const found: Pick<UserActor, 'installationRoles'> = {};
  if (access.installation !== undefined) {
    found.installationRoles = await roleStore.installationRolesOf(signInId);
    requireInstallationRole(found.installationRoles, access.installation);
  }
  if (access.role === undefined) return { ...actor, ...found };
  const held = await roleStore.accountRoleOf(accountId, signInId);
  if (held === undefined) throw notFound(`there is no account ${accountId}`);
  const { isSuspended, memberId, role } = held;
  if (isSuspended) throw permissionDenied('this account is suspended: ask the operator to resume it');
  requireRole({ role }, access.role);
  return { ...actor, ...found, role, ...(memberId === undefined ? {} : { memberId }) };
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
