import type { ManagementActor } from '../actors/actor.ts';
import type { ControlPlaneContext } from '../context.ts';
import { toManagementError } from './errors/to-management-error.ts';
import type { Route } from './route.ts';

/** The caller of a refused request, as far as it is known. */
export interface RefusedCaller {
  /** Undefined: its key is not valid. */
  actor: ManagementActor | undefined;
  way: ManagementActor['way'];
  ip: string;
  requestId: string;
}

/** Notes a request that got 401 or 403 in the audit log. */
export function noteDenied(
  { deniedAttempts }: Pick<ControlPlaneContext, 'deniedAttempts'>,
  route: Route,
  { actor, ...caller }: RefusedCaller,
  thrown: unknown,
): void {
  const { status } = toManagementError(thrown);
  if (status !== 401 && status !== 403) return;
  deniedAttempts.note({
    ...caller,
    actor: actor ?? { type: 'admin_key', id: null, email: null },
    action: 'call.denied',
    object: { type: 'route', id: `${route.method} ${route.path}`, name: route.operationId },
    accountId: actor?.accountId ?? null,
  });
}
