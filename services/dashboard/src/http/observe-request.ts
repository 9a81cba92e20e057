import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  clientIp,
  type ObserveRequestContext,
  observeRequest as observe,
  requestIdOf,
  type TrustProxy,
} from '@model-gateway/service-kit';

export interface ObserveContext extends ObserveRequestContext {
  trustProxy: TrustProxy;
}

const accountIds = new WeakMap<ServerResponse, string>();

export function noteAccount(res: ServerResponse, accountId: string): void {
  accountIds.set(res, accountId);
}

/** Returns the client's address and the request id, as in the access log. */
export function requestOrigin(
  { trustProxy }: Pick<ObserveContext, 'trustProxy'>,
  req: IncomingMessage,
  res: ServerResponse,
): { clientIp: string; requestId: string } {
  return { clientIp: clientIp(req, trustProxy), requestId: requestIdOf(res) };
}

/** Counts the request and writes its access log line, with the account of a signed-in user. */
export function observeRequest(
  context: ObserveContext,
  route: string,
  req: IncomingMessage,
  res: ServerResponse,
): void {
  const notes = () => ({ account_id: accountIds.get(res) });
  observe(context, { route, clientIp: clientIp(req, context.trustProxy), notes }, req, res);
}
