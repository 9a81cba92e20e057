import { status } from '@grpc/grpc-js';
import type { Logger } from '@model-gateway/service-kit';
import { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import type { ControlPlaneMetrics } from '../control-plane-metrics.ts';
import type { ReadShares } from '../database/read-shares.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
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

export interface UnaryContext {
  log: Logger;
  metrics: Pick<ControlPlaneMetrics, 'calls' | 'callDuration'>;
}

type Reading = `${'Export' | 'Find' | 'Get' | 'List' | 'Prove' | 'Verify'}${string}`;
type FromDataPlane = `${'Acquire' | 'Report' | 'Resolve' | 'Return'}${string}`;

type Verb<Context, Request, Response> = (
  context: Context,
  request: Request,
  signal: AbortSignal,
) => Promise<Response>;

/**
 * Makes a method that changes nothing; the type of the name rejects names of changes. Limits the concurrent
 * reads of each account.
 */
export function read<Context extends ReadContext, Request, Response>(
  context: Context,
  method: Reading,
  verb: Verb<Context, Request, Response>,
): Method<Request, Response> {
  return unary(context, method, (request: Request, signal) => {
    const accountId = accountIn(request);
    const run = () => verb(context, request, signal);
    return accountId === undefined ? run() : context.readShares.run(accountId, signal, run);
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

/** Makes a method of the calls that data planes make for their requests. */
export function traffic<Context extends UnaryContext, Request, Response>(
  context: Context,
  method: FromDataPlane,
  verb: Verb<Context, Request, Response>,
): Method<Request, Response> {
  return unary(context, method, (request: Request, signal) => verb(context, request, signal));
}

/** Makes a method that changes something and needs an actor. @param by who may make the change */
export function change<Type extends Actor['type'], Request, Response>(
  context: UnaryContext,
  method: string,
  by: Type,
  handle: (actor: Extract<Actor, { type: Type }>, request: Request, signal: AbortSignal) => Promise<Response>,
): Method<Request, Response> {
  return unary(context, method, async (request: Request, signal, actor) => {
    if (!isOfType(actor, by)) throw invalidArgument(`only the actor ${by} may make this call`);
    return await handle(actor, request, signal);
  });
}

function isOfType<Type extends Actor['type']>(
  actor: Actor | undefined,
  type: Type,
): actor is Extract<Actor, { type: Type }> {
  return actor?.type === type;
}

/** Makes a method that is counted, and maps its errors. */
function unary<Request, Response>(
  { log, metrics }: UnaryContext,
  method: string,
  handle: Method<Request, Response>['serve'],
): Method<Request, Response> {
  return {
    async serve(request, signal, actor) {
      const stop = metrics.callDuration.startTimer({ method });
      try {
        const response = await handle(request, signal, actor);
        metrics.calls.inc({ method, status: status[status.OK] });
        return response;
      } catch (thrown) {
        const error = signal.aborted ? callerIsGone() : toServiceError(log, thrown);
        metrics.calls.inc({ method, status: status[error.code] });
        throw error;
      } finally {
        stop();
      }
    },
  };
}
