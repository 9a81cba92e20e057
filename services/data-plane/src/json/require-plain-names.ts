import type { KnownMembers } from '@model-gateway/shared';
import { misspeltField } from '@model-gateway/shared/errors';

/**
 * Rejects names that some providers would take for one that the gateway relies on (see KnownMembers).
 * @throws GatewayError 400 `invalid_request` that names the first of them
 */
export function requirePlainNames(members: Iterable<{ name: string }>, known: KnownMembers): void {
  for (const { name } of members) {
    const meant = known.meantBy(name);
    if (meant !== undefined) throw misspeltField(name, meant);
  }
}
