import { status } from '@grpc/grpc-js';
import type { Logger } from '@model-gateway/service-kit';
import { z } from 'zod';
import { type AuthorizeContext, authorizeUser } from '../access/authorize-user.ts';
import type { Actor, UserActor } from '../actors/actor.ts';
import type { Attempts, DeniedAttempt } from '../audit/attempts.ts';
import type { ControlPlaneMetrics } from '../control-plane-metrics.ts';
import type { ReadShares } from '../database/read-shares.ts';
import { invalidArgument, notFound } from '../errors/control-plane-error.ts';
import { callerIsGone, toServiceError } from '../errors/map-error.ts';

/** A unary method of the control plane, whatever transport carries it. */
export interface Method<Request, Response> {
  /**
   * Serves a call, and counts it.
   * @param actor from authentication; undefined for data planes
   * @param signal aborts when the caller cancels, times out or disconnects
   * @throws ServiceError
   */
  serve(request: Request, signal: AbortSignal, actor: Actor | undefined): Promise<Response>;
}

export interface ReadContext extends UnaryContext {
  readShares: ReadShares;
}

export interface UnaryContext extends AuthorizeContext {
  deniedAttempts: Pick<Attempts, 'note'>;
  log: Logger;
  metrics: Pick<ControlPlaneMetrics, 'calls' | 'callDuration'>;
}

type Reading = `${'Export' | 'Find' | 'Get' | 'List' | 'Prove' | 'Verify'}${string}`;
type FromDataPlane = `${'Acquire' | 'Report' | 'Resolve' | 'Return'}${string}`;

type Operation<Context, Request, Response> = (
  context: Context,
  request: Request,
  signal: AbortSignal,
  actor: Actor | undefined,
) => Promise<Response>;

/**
 * Makes a method that changes nothing; the type of the name rejects names of changes. Limits the concurrent
 * reads of each account.
 */
export function read<Context extends ReadContext, Request, Response>(
  context: Context,
  method: Reading,
  operation: Operation<Context, Request, Response>,
): Method<Request, Response> {
  return unary(context, method, (request: Request, signal, actor) => {
    const accountId = accountIn(request);
    const run = () => operation(context, request, signal, actor);
    return accountId === undefined ? run() : context.readShares.run(accountId, signal, run);
  });
}

/** Makes a method that reads something for a signed-in user, in the account in which it acts. */
export function holderRead<Context extends ReadContext, Request, Response>(
  context: Context,
  method: Reading,
  operation: (actor: UserActor, request: Request, signal: AbortSignal) => Promise<Response>,
): Method<Request, Response> {
  return unary(context, method, async (request: Request, signal, actor) => {
    if (!isOfKind(actor, 'user')) throw invalidArgument('only the actor user may make this call');
    const named = accountIn(request) ?? actor.accountId;
    if (named !== actor.accountId) throw notFound(`there is no account ${named}`);
    return await context.readShares.run(named, signal, () => operation(actor, request, signal));
  });
}

const accountRequest = z.object({ accountId: z.string().min(1) });
const ownerRequest = z.object({ owner: accountRequest });

/** Returns the account that a request names; undefined for operators' reads, which have no limit. */
function accountIn(request: unknown): string | undefined {
  return (
    accountRequest.safeParse(request).data?.accountId ?? ownerRequest.safeParse(request).data?.owner.accountId
  );
}

/** Makes a method that data planes call for their requests. */
export function traffic<Context extends UnaryContext, Request, Response>(
  context: Context,
  method: FromDataPlane,
  operation: Operation<Context, Request, Response>,
): Method<Request, Response> {
  return unary(context, method, (request: Request, signal, actor) =>
    operation(context, request, signal, actor),
  );
}

/** Actors by kind of caller. With a key of the management API, operators call over HTTP. */
const ACTORS = {
  operator: ['operator_token', 'admin_key', 'console_user'],
  user: ['user'],
  system: ['system'],
} as const satisfies Record<string, readonly Actor['type'][]>;
type Kind = keyof typeof ACTORS;
type ActorOf<By extends Kind> = Extract<Actor, { type: (typeof ACTORS)[By][number] }>;

/** Makes a method that changes something and needs an actor. @param by kind of caller that may call it */
export function change<By extends Kind, Request, Response>(
  context: UnaryContext,
  method: string,
  by: By,
  handle: (actor: ActorOf<By>, request: Request, signal: AbortSignal) => Promise<Response>,
): Method<Request, Response> {
  return unary(context, method, async (request: Request, signal, actor) => {
    if (!isOfKind(actor, by)) throw invalidArgument(`only the actor ${by} may make this call`);
    return await handle(actor, request, signal);
  });
}

function isOfKind<By extends Kind>(actor: Actor | undefined, by: By): actor is ActorOf<By> {
  return ACTORS[by].some((type) => type === actor?.type);
}

function deniedCall(actor: UserActor, method: string): DeniedAttempt {
  const { accountId, ip, requestId, way } = actor;
  const object = { type: 'rpc', id: method, name: method };
  return { actor, way, action: 'call.denied', object, accountId, ip, requestId };
}

/** Makes a method that authorizes users, counts calls and maps errors. Notes denied calls of users. */
function unary<Request, Response>(
  context: UnaryContext,
  method: string,
  handle: Method<Request, Response>['serve'],
): Method<Request, Response> {
  const { deniedAttempts, log, metrics } = context;
  return {
    async serve(request, signal, actor) {
      const stop = metrics.callDuration.startTimer({ method });
      let isAuthorized = false;
      try {
        const authorized = actor && (await authorizeUser(context, actor, method));
        isAuthorized = true;
        const response = await handle(request, signal, authorized);
        metrics.calls.inc({ method, status: status[status.OK] });
        return response;
      } catch (thrown) {
        const error = signal.aborted ? callerIsGone() : toServiceError(log, thrown);
        const isDenied =
          error.code === status.PERMISSION_DENIED || (error.code === status.NOT_FOUND && !isAuthorized);
        if (actor?.type === 'user' && isDenied) deniedAttempts.note(deniedCall(actor, method));
        metrics.calls.inc({ method, status: status[error.code] });
        throw error;
      } finally {
        stop();
      }
    },
  };
}
