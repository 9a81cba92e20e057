import { includesScope } from '@model-gateway/shared/access';
import type { ManagementActor } from '../actors/actor.ts';
import { accountOnly, installationOnly, scopeMissing } from './errors/key-errors.ts';
import type { Route } from './route.ts';

/** @throws ManagementError 403: scope missing, or the route is closed to callers bound to an account */
export function requireAccess(
  route: Route,
  actor: ManagementActor,
  params: Readonly<Record<string, string>>,
): void {
  const scope = route.scopeOf(params);
  if (scope !== undefined && !includesScope(actor.scopes, scope)) throw scopeMissing(scope);
  if (route.isInstallationWide && actor.accountId !== undefined) throw installationOnly();
  const isUnboundKey = actor.type === 'admin_key' && actor.accountId === undefined;
  if (route.isOfAccount && isUnboundKey) throw accountOnly();
}
