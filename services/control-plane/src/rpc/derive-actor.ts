import type { Metadata, ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { presentedUser } from '@model-gateway/contracts';
import type { Caller } from '../access/rpc-access.ts';
import { type Actor, SYSTEM_ACTOR } from '../actors/actor.ts';

type Peer = Pick<ServerInterceptingCallInterface, 'getPeer'>;

/** Filled only by the interceptor that authenticates callers. */
const actors = new WeakMap<Metadata, Actor>();

/**
 * Stores who makes an authenticated call. Trusts users only on calls of dashboards: data planes have the same
 * token.
 * @throws Error when the user cannot be read
 */
export function noteActor(caller: Caller, metadata: Metadata, call: Peer): void {
  const actor = deriveActor(caller, metadata, call);
  if (actor !== undefined) actors.set(metadata, actor);
}

/** Returns undefined for data planes, the catalog service and callers without a token. */
export function actorOf(metadata: Metadata): Actor | undefined {
  return actors.get(metadata);
}

function deriveActor(caller: Caller, metadata: Metadata, call: Peer): Actor | undefined {
  if (caller === 'operator') return { type: 'operator_token', way: 'cli', ip: addressOf(call.getPeer()) };
  if (caller !== 'dashboard') return undefined;
  const user = presentedUser(metadata);
  if (user === undefined) return SYSTEM_ACTOR;
  const { accountId, signInId, email, clientIp, requestId, viewing } = user;
  return {
    ...{ type: 'user', way: 'dashboard', accountId, signInId, email, ip: clientIp, requestId },
    ...(viewing === true && { isViewing: true }),
  };
}

/** Removes the port; turns IPv4-mapped IPv6 into IPv4. */
export function addressOf(peer: string): string {
  return peer.replace(/:\d+$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
}
