import type { Metadata, ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { presentedUser } from '@model-gateway/contracts';
import type { Actor } from '../actors/actor.ts';

/** Names the secret that a caller has proved to have. */
export type Caller = 'internal' | 'admin' | 'anyone';

type Peer = Pick<ServerInterceptingCallInterface, 'getPeer'>;

const DASHBOARD = '/gateway.v1.DashboardService/';

/** Filled by the interceptor that authenticates callers, and by nothing that a caller can send. */
const actors = new WeakMap<Metadata, Actor>();

/**
 * Stores who makes a call, once its caller is authenticated. A user is trusted on calls of DashboardService
 * alone: data planes have the same token as the dashboard.
 * @throws Error when the dashboard names a user that cannot be read
 */
export function noteActor(caller: Caller, path: string, metadata: Metadata, call: Peer): void {
  const actor = deriveActor(caller, path, metadata, call);
  if (actor !== undefined) actors.set(metadata, actor);
}

/** Returns who makes a call; undefined for data planes, the catalog and whoever has sent no token. */
export function actorOf(metadata: Metadata): Actor | undefined {
  return actors.get(metadata);
}

function deriveActor(caller: Caller, path: string, metadata: Metadata, call: Peer): Actor | undefined {
  if (caller === 'admin') return { type: 'operator_token', way: 'cli', ip: addressOf(call.getPeer()) };
  if (caller !== 'internal' || !path.startsWith(DASHBOARD)) return undefined;
  const user = presentedUser(metadata);
  if (user === undefined) return { type: 'system', way: 'system' };
  const { accountId, signInId, email, clientIp, requestId } = user;
  return { type: 'user', way: 'dashboard', accountId, signInId, email, ip: clientIp, requestId };
}

/** Removes the port of `host:port`. An IPv4 address that is mapped into IPv6 becomes IPv4. */
function addressOf(peer: string): string {
  return peer.replace(/:\d+$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
}
