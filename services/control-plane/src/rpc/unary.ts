import { type handleUnaryCall, type Metadata, status } from '@grpc/grpc-js';
import { inBackground, type Logger } from '@model-gateway/service-kit';
import { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import type { ControlPlaneMetrics } from '../control-plane-metrics.ts';
import type { ReadShares } from '../database/read-shares.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { callerIsGone, toServiceError } from '../errors/map-error.ts';
import { actorOf } from './derive-actor.ts';

export interface ReadContext extends UnaryContext {
  readShares: ReadShares;
}

export interface UnaryContext {
  log: Logger;
  metrics: Pick<ControlPlaneMetrics, 'calls' | 'callDuration'>;
}

type Reading = `${'Find' | 'Get' | 'List' | 'Prove' | 'Verify'}${string}`;
type FromDataPlane = `${'Acquire' | 'Report' | 'Resolve' | 'Return'}${string}`;

type Verb<Context, Request, Response> = (
  context: Context,
  request: Request,
  signal: AbortSignal,
) => Promise<Response>;

/**
 * Makes a handler that changes nothing; the type of `method` rejects names of changes. Limits the concurrent
 * reads of each account.
 */
export function read<Context extends ReadContext, Request, Response>(
  context: Context,
  method: Reading,
  verb: Verb<Context, Request, Response>,
): handleUnaryCall<Request, Response> {
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

/** Makes a handler of the calls that data planes make for their requests. */
export function traffic<Context extends UnaryContext, Request, Response>(
  context: Context,
  method: FromDataPlane,
  verb: Verb<Context, Request, Response>,
): handleUnaryCall<Request, Response> {
  return unary(context, method, (request: Request, signal) => verb(context, request, signal));
}

/** Actors of each kind of caller; with a key of the management API, an operator calls over HTTP. */
const ACTORS = {
  operator: ['operator_token', 'admin_key'],
  user: ['user'],
  system: ['system'],
} as const satisfies Record<string, readonly Actor['type'][]>;
type Kind = keyof typeof ACTORS;
type ActorOf<By extends Kind> = Extract<Actor, { type: (typeof ACTORS)[By][number] }>;

/** Makes a handler that changes something and needs an actor. @param by who may make the change */
export function change<By extends Kind, Request, Response>(
  context: UnaryContext,
  method: string,
  by: By,
  handle: (actor: ActorOf<By>, request: Request, signal: AbortSignal) => Promise<Response>,
): handleUnaryCall<Request, Response> {
  return unary(context, method, async (request: Request, signal, metadata) => {
    const actor = actorOf(metadata);
    if (!isOfKind(actor, by)) throw invalidArgument(`only the actor ${by} may make this call`);
    return await handle(actor, request, signal);
  });
}

function isOfKind<By extends Kind>(actor: Actor | undefined, by: By): actor is ActorOf<By> {
  return ACTORS[by].some((type) => type === actor?.type);
}

/**
 * Makes a gRPC handler and maps its errors. Aborts the signal when the caller cancels, times out or
 * disconnects.
 */
function unary<Request, Response>(
  { log, metrics }: UnaryContext,
  method: string,
  handle: (request: Request, signal: AbortSignal, metadata: Metadata) => Promise<Response>,
): handleUnaryCall<Request, Response> {
  const serve: (...call: Parameters<handleUnaryCall<Request, Response>>) => Promise<void> = async (
    call,
    callback,
  ) => {
    const stop = metrics.callDuration.startTimer({ method });
    const gone = new AbortController();
    call.on('cancelled', () => gone.abort());
    try {
      const response = await handle(call.request, gone.signal, call.metadata);
      metrics.calls.inc({ method, status: status[status.OK] });
      callback(null, response);
    } catch (thrown) {
      const error = gone.signal.aborted ? callerIsGone() : toServiceError(log, thrown);
      metrics.calls.inc({ method, status: status[error.code] });
      callback(error);
    } finally {
      stop();
    }
  };
  return (call, callback) => inBackground(serve(call, callback));
}
