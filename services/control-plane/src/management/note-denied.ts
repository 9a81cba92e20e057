import { requestIdOf } from '@model-gateway/service-kit';
import type { Request, Response } from 'express';
import type { AdminKeyActor } from '../actors/actor.ts';
import { toManagementError } from './errors/to-management-error.ts';
import type { ManagementContext } from './management-context.ts';
import type { Route } from './route.ts';
import { clientIpOf } from './send-json.ts';

/** A request, with its caller as far as it is known. */
interface RefusedRequest {
  actor: AdminKeyActor | undefined;
  req: Request;
  res: Response;
}

/** Notes a request that got 401 or 403 in the audit log. */
export function noteDenied(
  context: ManagementContext,
  route: Route,
  { actor, req, res }: RefusedRequest,
  thrown: unknown,
): void {
  const { status } = toManagementError(thrown);
  if (status !== 401 && status !== 403) return;
  context.deniedAttempts.note({
    actor: actor ?? { type: 'admin_key', id: null, email: null },
    way: route.isGatewayctl ? 'cli' : 'api',
    action: 'call.denied',
    object: { type: 'route', id: `${route.method} ${route.path}`, name: route.operationId },
    accountId: actor?.accountId ?? null,
    ip: clientIpOf(context, req),
    requestId: requestIdOf(res),
  });
}
