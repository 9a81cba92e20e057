import type { Capability } from '@model-gateway/shared';
import type { AuthenticatedExchange, Exchange } from '../http/exchange.ts';
import { type AdmitContext, refuseInvalid } from '../steps/admit-request.ts';
import { type AuthenticateContext, authenticateKey } from '../steps/authenticate-key.ts';
import { refuseForbidden } from '../steps/refuse-forbidden.ts';

/**
 * Authenticates a request and, before its body is read, checks its address and endpoint against the rules of
 * its key. Every route with a key begins with this. There is no promise when the key is cached.
 * @param capability undefined: the route calls no model
 * @throws GatewayError as `authenticateKey`; 403
 */
export function authenticate(
  context: AuthenticateContext & AdmitContext,
  arrived: Exchange,
  capability?: Capability,
): AuthenticatedExchange | Promise<AuthenticatedExchange> {
  const exchange = authenticateKey(context, arrived);
  return exchange instanceof Promise
    ? exchange.then((found) => requirePermitted(context, found, capability))
    : requirePermitted(context, exchange, capability);
}

function requirePermitted(
  context: AdmitContext,
  exchange: AuthenticatedExchange,
  capability: Capability | undefined,
): AuthenticatedExchange | Promise<never> {
  const { key } = exchange.record;
  if (key.rules === undefined) return exchange;
  try {
    refuseForbidden(exchange.record, key.rules, capability);
    return exchange;
  } catch (failure) {
    return refuseInvalid(context, exchange, failure);
  }
}
