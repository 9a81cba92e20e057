import type { Capability } from '@model-gateway/shared';
import type { AuthenticatedExchange, Exchange } from '../http/exchange.ts';
import { type AdmitContext, refuseInvalid } from '../steps/admit-request.ts';
import { type AuthenticateContext, authenticateKey } from '../steps/authenticate-key.ts';
import { refuseForbidden } from '../steps/refuse-forbidden.ts';

/**
 * Authenticates a request and, before its body is read, checks its address and endpoint against the rules of
 * its key. Every route with a key begins with this.
 * @param capability undefined: the route calls no model
 * @throws GatewayError as `authenticateKey`; 403
 */
export async function authenticate(
  context: AuthenticateContext & AdmitContext,
  arrived: Exchange,
  capability?: Capability,
): Promise<AuthenticatedExchange> {
  const exchange = await authenticateKey(context, arrived);
  const { rules } = exchange.record.key;
  if (rules === undefined) return exchange;
  try {
    refuseForbidden(exchange.record, rules, capability);
  } catch (failure) {
    return await refuseInvalid(context, exchange, failure);
  }
  return exchange;
}
