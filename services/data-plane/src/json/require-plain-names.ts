import type { KnownMembers } from '@model-gateway/shared';
import { misspeltField } from '@model-gateway/shared/errors';

/**
 * Refuses names that some providers would take for a name on which the gateway relies (see KnownMembers).
 * @throws GatewayError 400 `invalid_request` that names the first of them
 */
export function requirePlainNames(members: Iterable<{ name: string }>, known: KnownMembers): void {
  for (const { name } of members) {
    const meant = known.meantBy(name);
    if (meant !== undefined) throw misspeltField(name, meant);
  }
}
