import { z } from 'zod';
import { accessOfPath } from '../../access/rpc-access.ts';
import type { ManagementActor } from '../../actors/actor.ts';
import type { ControlPlaneContext } from '../../context.ts';
import { toServiceError } from '../../errors/map-error.ts';
import { createServices } from '../../rpc/services.ts';
import type { Method } from '../../rpc/unary.ts';
import { installationOnly } from '../errors/key-errors.ts';
import { requireOwn } from '../own-account.ts';
import { accountOfRequest } from './account-of-request.ts';
import { readMessage } from './read-message.ts';
import { rpcError, unknownRpc } from './rpc-errors.ts';

/** The call of a method over HTTP. */
export interface RpcCall {
  /** `AccountService` */
  service: string;
  /** `CreateKey` */
  method: string;
  actor: ManagementActor;
  /** The message in JSON. */
  body: object;
  signal: AbortSignal;
}

/** Returns the scope that a method needs; undefined: admin keys cannot call it. */
export function scopeOfMethod({ method, service }: Pick<RpcCall, 'service' | 'method'>) {
  return accessOfPath(`/gateway.v1.${service}/${method}`)?.scope;
}

/**
 * Serves the call of an operator over HTTP, with the methods of gRPC.
 * @returns the response in JSON
 * @throws ManagementError
 */
export async function callMethod(
  context: ControlPlaneContext,
  call: RpcCall,
): Promise<Record<string, unknown>> {
  const { actor, body, method, service, signal } = call;
  const name = `${service}/${method}`;
  const { definition, methods } = createServices(context).get(service) ?? {};
  const types = definition?.[method];
  const served = methods?.[method];
  const isKnown = types !== undefined && served !== undefined && typeof served !== 'function';
  if (!isKnown || scopeOfMethod(call) === undefined) throw unknownRpc(name);
  const request = readMessage(types, body);
  await requireOwnAccount(context, actor, accountOfRequest(name, request));
  const response = await serve(served, request, signal, actor);
  return types.responseDeserialize(types.responseSerialize(response));
}

/**
 * @throws ManagementError if a key that is bound to an account calls for another one, or for no single one
 */
async function requireOwnAccount(
  { accountStore, log }: ControlPlaneContext,
  actor: ManagementActor,
  account: string | undefined,
): Promise<void> {
  if (actor.accountId === undefined) return;
  if (account === undefined) throw installationOnly();
  try {
    const { id } = await accountStore.require(account);
    requireOwn(actor, id, `account ${account}`);
  } catch (error) {
    throw rpcError(toServiceError(log, error), error);
  }
}

const failedCall = z.object({ code: z.number(), details: z.string() });

async function serve(
  method: Method<object, object>,
  request: object,
  signal: AbortSignal,
  actor: ManagementActor,
): Promise<object> {
  try {
    return await method.serve(request, signal, actor);
  } catch (error) {
    throw rpcError(failedCall.parse(error), error);
  }
}
