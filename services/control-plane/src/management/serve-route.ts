import { headerValues, observeRequest } from '@model-gateway/service-kit';
import { includesScope } from '@model-gateway/shared/access';
import type { Request, RequestHandler, Response } from 'express';
import type { AdminKeyActor } from '../actors/actor.ts';
import type { Change } from '../actors/change-guard.ts';
import type { Claim } from '../idempotency/idempotency-store.ts';
import { authenticate } from './authenticate.ts';
import { alreadyClaimed, preconditionRequired } from './errors/guard-errors.ts';
import { accountOnly, installationOnly, scopeMissing } from './errors/key-errors.ts';
import { invalidHeader } from './errors/request-errors.ts';
import { etagOf } from './etag.ts';
import { findResponse, requestHash, type SentResponse, sealResponse } from './guard/idempotent-request.ts';
import { requestGuard } from './guard/request-guard.ts';
import type { ManagementContext } from './management-context.ts';
import { noteDenied } from './note-denied.ts';
import { readBody } from './read-body.ts';
import { readQuery } from './read-query.ts';
import type { Route } from './route.ts';
import { clientIpOf, goneSignal, sendJson } from './send-json.ts';

const MAX_IDEMPOTENCY_KEY = 255;

/** Makes the Express handler of a route: authentication, scope, limits, conditions, response. */
export function serveRoute(context: ManagementContext, route: Route): RequestHandler {
  return async (req, res) => {
    let actor: AdminKeyActor | undefined;
    const notes = () => (actor === undefined ? {} : { admin_key_id: actor.id, account_id: actor.accountId });
    observeRequest(
      context.adminObserver,
      { route: route.path, clientIp: clientIpOf(context, req), notes },
      req,
      res,
    );
    try {
      const authenticated = await authenticate(context, req, res, route.isGatewayctl ? 'cli' : 'api');
      actor = authenticated.actor;
      res.set(await context.adminLimits.countRequest(actor.id, actor.requestId));
      if (authenticated.refusal !== undefined) throw authenticated.refusal;
      requireAccess(route, actor, req);
      await respond(context, route, { actor, req, res });
    } catch (thrown) {
      noteDenied(context, route, { actor, req, res }, thrown);
      throw thrown;
    }
  };
}

type Exchange = Pick<ServedRequest, 'actor' | 'req' | 'res'>;

async function respond(context: ManagementContext, route: Route, exchange: Exchange): Promise<void> {
  const { actor, req, res } = exchange;
  const body = await readBody(route, req, res);
  const claim = req.method === 'POST' ? claimOf(actor, req, body) : undefined;
  const known = claim && (await findResponse(context, claim));
  if (known !== undefined) return replay(res, known);
  const request = { ...exchange, body, claim, ifMatch: ifMatchOf(route, req) };
  try {
    await serve(context, route, request);
  } catch (thrown) {
    // A repeated request may have been faster, so that this one failed on the change of that.
    const faster = claim && (await findResponse(context, claim));
    if (faster === undefined || res.headersSent) throw thrown;
    replay(res, faster);
  }
}

interface ServedRequest {
  actor: AdminKeyActor;
  req: Request;
  res: Response;
  body: unknown;
  claim: Claim | undefined;
  ifMatch: string | undefined;
}

async function serve(
  context: ManagementContext,
  route: Route,
  { actor, body, claim, ifMatch, req, res }: ServedRequest,
): Promise<void> {
  let responseOf: ((after: object, ...further: object[]) => object) | undefined =
    route.isResource === true && route.secret === undefined ? (after) => after : undefined;
  let etag: string | undefined;
  let claimed: SentResponse | undefined;
  let isClaimed = false;
  const withEtag = (body: unknown) => ({
    ...responseWith(route, body),
    ...(etag !== undefined && { etag }),
  });
  const seal = (changes: readonly Change[]): Buffer => {
    if (claim === undefined) return Buffer.alloc(0);
    isClaimed = true;
    const [after = {}, ...further] = changes.map((each) => each.after ?? {});
    claimed = responseOf && withEtag(responseOf(after, ...further));
    return sealResponse(context, claim, claimed);
  };
  const guard = requestGuard({ claim, ifMatch, sealResponse: seal });
  const signal = goneSignal(res);
  const run = () =>
    route.serve(context, {
      actor: { ...actor, guard },
      params: Object.fromEntries(Object.entries(req.params).map(([name, value]) => [name, String(value)])),
      query: readQuery(req.originalUrl),
      body,
      signal,
      respondWith: (given) => {
        responseOf = given;
      },
      setEtagOf: (resource) => {
        etag = etagOf(resource);
      },
      noteUnconfirmed: (instances) => {
        if (instances.length > 0) res.setHeader('x-gateway-unconfirmed', instances.join(', '));
      },
    });
  // Limits concurrent reads per account, as over gRPC.
  const response =
    route.method === 'GET'
      ? await context.readShares.run(actor.accountId ?? actor.id, signal, run)
      : await run();
  const sent = withEtag(response);
  if (claim !== undefined) {
    const sealed = sealResponse(context, claim, sent);
    if (isClaimed) {
      if (JSON.stringify(claimed) !== JSON.stringify(sent))
        await context.idempotencyStore.setResponse(claim, sealed);
      // gatewayctl reads with POST, too: those responses are long, and may differ each time.
    } else if (!route.isGatewayctl && !(await context.idempotencyStore.insert(claim, sealed)))
      throw alreadyClaimed();
  }
  send(res, sent);
}

function responseWith({ isResource = false, secret, status }: Route, body: unknown): SentResponse {
  return { status, body, ...(isResource && { etag: etagOf(withoutSecret(body, secret)) }) };
}

function requireAccess(route: Route, actor: AdminKeyActor, req: Request): void {
  const params = Object.fromEntries(Object.entries(req.params).map(([name, value]) => [name, String(value)]));
  const scope = route.scopeOf(params);
  if (scope !== undefined && !includesScope(actor.scopes, scope)) throw scopeMissing(scope);
  if (route.isInstallationWide && actor.accountId !== undefined) throw installationOnly();
  if (route.isOfAccount && actor.accountId === undefined) throw accountOnly();
}

/** @throws ManagementError 400 */
function claimOf(actor: AdminKeyActor, req: Request, body: unknown): Claim | undefined {
  const [key, ...others] = headerValues(req, 'idempotency-key');
  if (key === undefined) return undefined;
  if (others.length > 0 || !/^[\x20-\x7e]{1,255}$/.test(key))
    throw invalidHeader('Idempotency-Key', `must have 1 to ${MAX_IDEMPOTENCY_KEY} visible ASCII characters`);
  return { adminKeyId: actor.id, key, request: requestHash(req.method, req.originalUrl, body) };
}

/** @throws ManagementError 428 */
function ifMatchOf(route: Route, req: Request): string | undefined {
  const ifMatch = req.headers['if-match'];
  if (route.ifMatch === 'none') return undefined;
  const isNeeded = route.ifMatch === 'needed' || route.method === 'PATCH';
  if (ifMatch === undefined && isNeeded) throw preconditionRequired();
  return ifMatch;
}

function withoutSecret(body: unknown, secret: string | undefined): unknown {
  if (secret === undefined || typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== secret));
}

function replay(res: Response, response: SentResponse): void {
  res.setHeader('idempotency-replayed', 'true');
  send(res, response);
}

function send(res: Response, { body, etag, status }: SentResponse): void {
  if (etag !== undefined) res.setHeader('etag', etag);
  sendJson(res, status, body);
}
