import { headerValues, observeRequest, requestIdOf } from '@model-gateway/service-kit';
import type { Request, RequestHandler, Response } from 'express';
import type { AdminKeyActor } from '../actors/actor.ts';
import { authenticate } from './authenticate.ts';
import type { ManagementContext } from './management-context.ts';
import { noteDenied } from './note-denied.ts';
import { readBody } from './read-body.ts';
import { readQuery } from './read-query.ts';
import { requireAccess } from './require-access.ts';
import type { Route } from './route.ts';
import { clientIpOf, goneSignal, sendJson } from './send-json.ts';
import { serveRequest } from './serve-request.ts';

/** Makes the Express handler of a route: authentication, scope, limits, conditions, response. */
export function serveRoute(context: ManagementContext, route: Route): RequestHandler {
  return async (req, res) => {
    let actor: AdminKeyActor | undefined;
    const ip = clientIpOf(context, req);
    const way = route.isGatewayctl ? 'cli' : 'api';
    const notes = () => (actor === undefined ? {} : { admin_key_id: actor.id, account_id: actor.accountId });
    observeRequest(context.adminObserver, { route: route.path, clientIp: ip, notes }, req, res);
    try {
      const authenticated = await authenticate(context, req, res, way);
      actor = authenticated.actor;
      res.set(await context.adminLimits.countRequest(actor.id, actor.requestId));
      if (authenticated.refusal !== undefined) throw authenticated.refusal;
      await respond(context, route, actor, req, res);
    } catch (thrown) {
      noteDenied(context, route, { actor, way, ip, requestId: requestIdOf(res) }, thrown);
      throw thrown;
    }
  };
}

async function respond(
  context: ManagementContext,
  route: Route,
  actor: AdminKeyActor,
  req: Request,
  res: Response,
): Promise<void> {
  const params = Object.fromEntries(Object.entries(req.params).map(([name, value]) => [name, String(value)]));
  requireAccess(route, actor, params);
  const { body, headers, status } = await serveRequest(context, route, {
    actor,
    params,
    body: await readBody(route, req, res),
    query: readQuery(req.originalUrl),
    url: req.originalUrl,
    ifMatch: req.headers['if-match'],
    idempotencyKeys: headerValues(req, 'idempotency-key'),
    signal: goneSignal(res),
  });
  res.set(headers);
  sendJson(res, status, body);
}
