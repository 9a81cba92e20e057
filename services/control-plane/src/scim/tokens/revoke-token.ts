import type { Actor } from '../../actors/actor.ts';
import { notFound } from '../../errors/control-plane-error.ts';
import type { StoredScimToken } from './stored-token.ts';
import type { ScimTokenStore } from './token-store.ts';

/** Revokes a token. Its users and groups stay as they are. @throws ControlPlaneError not_found */
export async function revokeScimToken(
  { scimTokenStore }: { scimTokenStore: Pick<ScimTokenStore, 'revoke'> },
  actor: Actor,
  { tokenId }: { tokenId: string },
): Promise<StoredScimToken> {
  const token = await scimTokenStore.revoke(actor, tokenId);
  if (token !== null) return token;
  throw notFound(`there is no SCIM token ${tokenId}`);
}
