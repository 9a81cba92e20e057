import {
  INSTALLATION_ROLES,
  type InstallationRole,
  includesScope,
  SCOPES,
} from '@model-gateway/shared/access';
import { requireEmail } from '../accounts/email-address.ts';
import type { Actor } from '../actors/actor.ts';
import { invalidArgument, notFound, permissionDenied } from '../errors/control-plane-error.ts';
import type { InstallationRoleStore, StoredInstallationRole } from './installation-role-store.ts';

interface RolesContext {
  installationRoleStore: InstallationRoleStore;
}

interface RoleRequest {
  email: string;
  role: string;
}

/**
 * Gives a person a role in the installation. May be repeated.
 * @throws ControlPlaneError invalid_argument, permission_denied (admin key without every scope)
 */
export async function grantRole(
  { installationRoleStore }: RolesContext,
  actor: Actor,
  request: RoleRequest,
): Promise<StoredInstallationRole> {
  requireAllScopes(actor);
  return await installationRoleStore.grant(actor, { ...parseRole(request), source: 'operator' });
}

/**
 * Revokes a role that `grantRole` gave, from the person's next call on.
 * @throws ControlPlaneError invalid_argument, not_found
 */
export async function revokeRole(
  { installationRoleStore }: RolesContext,
  actor: Actor,
  request: RoleRequest,
): Promise<StoredInstallationRole> {
  const { email, role } = parseRole(request);
  const revoked = await installationRoleStore.revoke(actor, { email, role, source: 'operator' });
  if (revoked === null) throw notFound(`nobody gave ${email} the role ${role}`);
  return revoked;
}

/**
 * An admin key grants at most what it has, and these roles reach the whole installation.
 * @throws ControlPlaneError permission_denied
 */
function requireAllScopes(actor: Actor): void {
  if (actor.type !== 'admin_key') return;
  const missing = SCOPES.find((scope) => !includesScope(actor.scopes, scope));
  if (missing !== undefined)
    throw permissionDenied(
      `only an admin key with every scope may grant roles in the installation, and this one lacks "${missing}"`,
    );
}

export function installationRoleMessage({ createdAt, email, role, source }: StoredInstallationRole) {
  return { email, role, source, createdAtMs: createdAt.getTime() };
}

function parseRole({ email, role: text }: RoleRequest): { email: string; role: InstallationRole } {
  const role = INSTALLATION_ROLES.find((known) => known === text);
  if (role === undefined)
    throw invalidArgument(`role must be one of ${INSTALLATION_ROLES.join(', ')}, not "${text}"`);
  return { email: requireEmail(email, 'a role'), role };
}
