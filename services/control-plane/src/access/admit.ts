import {
  type AccountRole,
  hasRole,
  INSTALLATION_ROLES,
  type InstallationRole,
} from '@model-gateway/shared/access';
import type { Actor, UserActor } from '../actors/actor.ts';
import { notFound, permissionDenied } from '../errors/control-plane-error.ts';
import type { PlaceStore } from './place-store.ts';
import { accessOfPath } from './rpc-access.ts';

export interface AdmitContext {
  placeStore: Pick<PlaceStore, 'installationRolesOf' | 'placeOf'>;
}

/**
 * Admits a user to an RPC of the dashboard, by the roles that the database has now. Returns other actors as
 * they are.
 * @throws ControlPlaneError not_found (no place in the account), permission_denied (role, suspended account)
 */
export async function admit<Who extends Actor>(
  { placeStore }: AdmitContext,
  actor: Who,
  rpc: string,
): Promise<Who> {
  if (actor.type !== 'user') return actor;
  const access = accessOfPath(`/gateway.v1.DashboardService/${rpc}`);
  if (access === undefined) throw new Error(`${rpc} is no RPC of the dashboard`);
  const { accountId, signInId } = actor;
  if (access.installation !== undefined) {
    requireInstallationRole(await placeStore.installationRolesOf(signInId), access.installation);
  }
  if (access.role === undefined) return actor;
  const place = await placeStore.placeOf(accountId, signInId);
  if (place === undefined) throw notFound(`there is no account ${accountId}`);
  const { isSuspended, memberId, role } = place;
  if (isSuspended) throw permissionDenied('this account is suspended');
  requireRole({ role }, access.role);
  return { ...actor, role, ...(memberId === undefined ? {} : { memberId }) };
}

/** @throws ControlPlaneError permission_denied, naming the role that is needed */
function requireInstallationRole(roles: readonly InstallationRole[], least: InstallationRole): void {
  const index = INSTALLATION_ROLES.indexOf(least);
  if (roles.some((role) => INSTALLATION_ROLES.indexOf(role) >= index)) return;
  throw permissionDenied(`this needs the role ${least} in the installation`);
}

/** @throws ControlPlaneError permission_denied, naming the role that is needed */
export function requireRole({ role }: Pick<UserActor, 'role'>, least: AccountRole): void {
  if (role !== undefined && hasRole(role, least)) return;
  throw permissionDenied(`this needs the role ${least} in the account; yours is ${role ?? 'none'}`);
}
