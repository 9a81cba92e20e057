import { mountPath } from '@model-gateway/service-kit';
import type { Express, Request, RequestHandler, Response } from 'express';
import type { DashboardContext } from '../context.ts';
import { methodNotAllowed, routeNotFound } from '../errors/request-errors.ts';
import { addressNotVerified, signedOut } from '../errors/sign-in-errors.ts';
import { noteAccount, observeRequest, requestOrigin } from '../http/observe-request.ts';
import { checkOwnOrigin } from '../http/own-origin.ts';
import { readJson } from '../http/read-json.ts';
import { noteUse } from '../security/note-use.ts';
import { requireProof } from '../security/require-proof.ts';
import { shownAccount, viewedAccountId } from '../sign-in/shown-account.ts';
import type { ApiRoute } from './api-route.ts';

/**
 * Limits the owners of an account, and each other member, to this many changes in 15 minutes: enough for
 * people, too few to fill the database, to flood the data planes with keys, or to find out by invitations who
 * has an account.
 */
const MAX_CHANGES = 300;

/** Checks the session again when the body took longer than this to arrive. */
const CHECK_AGAIN_AFTER_MS = 1_000;

/** Mounts the routes, and 405 and 404 for other methods and paths under /api. */
export function serveApi(app: Express, context: DashboardContext, routes: readonly ApiRoute[]): void {
  for (const [path, onPath] of Map.groupBy(routes, (route) => route.path)) {
    const handlers = onPath.map((route) => [route.method, handlerOf(context, route)] as const);
    mountPath(app.route(path), handlers, (allowed) => (req, res) => {
      observeRequest(context, path, req, res);
      throw methodNotAllowed(allowed);
    });
  }
  app.all(['/api', '/api/*path'], (req, res) => {
    observeRequest(context, '/api/unknown', req, res);
    throw routeNotFound();
  });
}

function handlerOf(context: DashboardContext, route: ApiRoute): RequestHandler {
  return async (req, res) => {
    observeRequest(context, route.path, req, res);
    res.setHeader('cache-control', 'no-store');
    if (route.method === 'POST') checkOwnOrigin(req, context.origins);
    if (route.access === 'public') {
      const body = await bodyOf(route, req, res);
      await route.handle({ req, res, body });
      return;
    }
    const session = await context.signIn.session(req.headers);
    if (session === undefined) throw signedOut();
    const checkedAtMs = performance.now();
    noteUse(context, session);
    for (const cookie of session.setCookies) res.appendHeader('set-cookie', cookie);
    const readBody = async () => {
      const body = await bodyOf(route, req, res);
      // A client could delay the body, to act after its session has ended.
      const isOld = performance.now() - checkedAtMs > CHECK_AGAIN_AFTER_MS;
      if (isOld && (await context.signIn.session(req.headers)) === undefined) throw signedOut();
      return body;
    };
    if (!route.needsAccount) {
      await route.handle({ req, res, body: await readBody(), session });
      return;
    }
    const access = await context.accounts.of(session.user);
    const account = shownAccount(access, session);
    const { emailVerified } = access;
    const viewed = viewedAccountId(access, session);
    const accountId = viewed ?? account.id;
    noteAccount(res, accountId);
    if (context.config.addressNeedsProof && !emailVerified && !route.worksUnverified)
      throw addressNotVerified();
    if (route.needsProof) requireProof(session);
    if (route.isChange) {
      // A member counts alone, so that one of many cannot keep the owner from changing anything.
      const isOwner = account.role === 'owner' && viewed === undefined;
      const subject = isOwner ? accountId : `${accountId} ${session.user.id}`;
      await context.attemptStore.count({ action: 'change', subject, max: MAX_CHANGES });
    }
    const body = await readBody();
    const { id: signInId, email } = session.user;
    const origin = requestOrigin(context, req, res);
    const user = { accountId, signInId, email, viewing: viewed !== undefined, ...origin };
    const changes = context.holder.changesBy(user);
    const gone = goneSignal(res);
    const reads = context.holder.readsBy(user, gone);
    const exchange = { req, res, body, session, account, accountId, emailVerified };
    await route.handle({ ...exchange, user, changes, reads, gone });
  };
}

function goneSignal(res: Response): AbortSignal {
  const gone = new AbortController();
  const close = () => {
    if (!res.writableFinished) gone.abort();
  };
  if (res.closed) close();
  else res.once('close', close);
  return gone.signal;
}

async function bodyOf(route: ApiRoute, req: Request, res: Response): Promise<unknown> {
  return route.method === 'POST' ? await readJson(req, res, route.maxBodyBytes) : undefined;
}
