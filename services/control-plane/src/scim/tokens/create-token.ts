import { displayPrefix, newId } from '@model-gateway/shared';
import type { AccountStore } from '../../accounts/account-store.ts';
import type { Actor } from '../../actors/actor.ts';
import { invalidArgument } from '../../errors/control-plane-error.ts';
import type { Peppers } from '../../keys/stored-hashes.ts';
import type { StoredScimToken } from './stored-token.ts';
import { scimToken, scimTokenHashes } from './token-hash.ts';
import type { ScimTokenStore } from './token-store.ts';

const NAME = /^[^\p{C}/]{1,100}$/u;

/**
 * Creates a token of an identity provider. Tokens of one name and account see the same users, so that a token
 * can be replaced.
 * @param request.account id or e-mail address; empty: every user has an account of its own
 * @returns the token, of which only a hash is stored
 * @throws ControlPlaneError invalid_argument (name), not_found, failed_precondition (deleted account)
 */
export async function createScimToken(
  context: Peppers & {
    accountStore: Pick<AccountStore, 'requireNotDeleted'>;
    scimTokenStore: Pick<ScimTokenStore, 'create'>;
  },
  actor: Actor,
  request: { name: string; account: string },
): Promise<{ token: StoredScimToken; raw: string }> {
  const name = request.name.trim();
  if (!NAME.test(name)) throw invalidArgument('a name has 1 to 100 characters, without a slash');
  const account =
    request.account === '' ? null : await context.accountStore.requireNotDeleted(request.account);
  const raw = scimToken.generate();
  const token = await context.scimTokenStore.create(actor, {
    id: newId('scim'),
    name,
    displayPrefix: displayPrefix(raw),
    accountId: account?.id ?? null,
    ...scimTokenHashes(context, raw),
  });
  return { token, raw };
}
