import { type AccountRole, hasRole } from '@model-gateway/shared/access';
import { requireRole } from '../access/admit.ts';
import { permissionDenied } from '../errors/control-plane-error.ts';

/**
 * Requires that a role may take somebody from one role to another: nobody gives or takes away more than its
 * own, and a developer nothing.
 * @param from undefined: no member yet
 * @param to undefined: no member any more
 * @throws ControlPlaneError permission_denied
 */
export function checkGrant(
  granter: AccountRole,
  { from, to }: { from?: AccountRole | undefined; to?: AccountRole | undefined },
): void {
  requireRole({ role: granter }, 'admin');
  const higher = [from, to].find((role) => role !== undefined && !hasRole(granter, role));
  if (higher === undefined) return;
  throw permissionDenied(`the role ${granter} cannot give, change or take away the role ${higher}`);
}
