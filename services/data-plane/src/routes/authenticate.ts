import type { Capability } from '@model-gateway/shared';
import { continueWith } from '../http/continue-with.ts';
import type { AuthenticatedExchange, Exchange } from '../http/exchange.ts';
import { type AdmitContext, refuseInvalid } from '../steps/admit-request.ts';
import { type AuthenticateContext, authenticateKey } from '../steps/authenticate-key.ts';
import { refuseForbidden } from '../steps/refuse-forbidden.ts';

/**
 * Authenticates a request and, before its body is read, checks its address and endpoint against the rules of
 * its key. Every route with a key begins with this.
 * @param capability undefined: the route calls no model
 * @returns no promise for a cached key
 * @throws GatewayError as `authenticateKey`; 403
 */
export function authenticate(
  context: AuthenticateContext & AdmitContext,
  arrived: Exchange,
  capability?: Capability,
): AuthenticatedExchange | Promise<AuthenticatedExchange> {
  return continueWith(authenticateKey(context, arrived), (exchange) => {
    const { rules } = exchange.record.key;
    if (rules === undefined) return exchange;
    try {
      refuseForbidden(exchange.record, rules, capability);
      return exchange;
    } catch (failure) {
      return refuseInvalid(context, exchange, failure);
    }
  });
}
