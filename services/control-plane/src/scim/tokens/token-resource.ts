import { optionalTimestamp } from '../../timestamps.ts';
import type { StoredScimToken } from './stored-token.ts';

/** Token of an identity provider as audit events show it, without its secret. */
export function scimTokenResource(token: StoredScimToken) {
  return {
    object: 'scim_token',
    id: token.id,
    name: token.name,
    prefix: token.displayPrefix,
    account_id: token.accountId,
    created_at: token.createdAt.toISOString(),
    revoked_at: optionalTimestamp(token.revokedAt),
  };
}
