import { GatewayError, type KnownMembers, spellingMessage } from '@model-gateway/shared';

/**
 * Refuses names that some providers would take for a name on which the gateway relies (see KnownMembers).
 * @throws GatewayError 400 `invalid_request` that names the first of them
 */
export function requirePlainNames(members: Iterable<{ name: string }>, known: KnownMembers): void {
  for (const { name } of members) {
    const meant = known.meantBy(name);
    if (meant === undefined) continue;
    throw new GatewayError('invalid_request', `${name}: ${spellingMessage(meant)}.`, { param: name });
  }
}
