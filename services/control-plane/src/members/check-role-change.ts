import { type AccountRole, hasRole } from '@model-gateway/shared/access';
import { requireRole } from '../access/authorize-user.ts';
import { permissionDenied } from '../errors/control-plane-error.ts';

/**
 * Checks that a user with `actorRole` may change the role of a member. It must be an admin at least, and
 * neither role may be higher than its own.
 * @param from earlier role; undefined: a new member
 * @param to new role; undefined: the member is removed
 * @throws ControlPlaneError permission_denied
 */
export function checkRoleChange(
  actorRole: AccountRole,
  { from, to }: { from?: AccountRole | undefined; to?: AccountRole | undefined },
): void {
  requireRole({ role: actorRole }, 'admin');
  const higher = [from, to].find((role) => role !== undefined && !hasRole(actorRole, role));
  if (higher === undefined) return;
  throw permissionDenied(`the role ${actorRole} cannot give, change or take away the role ${higher}`);
}
