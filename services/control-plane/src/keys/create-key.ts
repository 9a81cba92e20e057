import type { Tags } from '@model-gateway/shared/rules';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Actor } from '../actors/actor.ts';
import { parseJson, requireCache, requireRules, requireTags } from '../rules/read-rules.ts';
import { checkKeyName } from './check-key-name.ts';
import type { KeyStore } from './key-store.ts';
import { newKey } from './new-key.ts';
import { requireFuture } from './require-future.ts';
import type { Peppers } from './stored-hashes.ts';
import type { StoredKey } from './stored-key.ts';

export interface CreateKeyContext extends Peppers {
  accountStore: AccountStore;
  keyStore: Pick<KeyStore, 'create'>;
}

/**
 * Issues a key. Stores only its hash and display prefix.
 * @param request.account id or e-mail address
 * @param request.memberId member of the account who makes it; undefined: nobody in particular
 * @param request.seatId active seat of the account: its team pays, and its limit applies
 * @param request.expiresAtMs undefined: never
 * @param request.rulesJson in force from the first request on; undefined: none
 * @throws ControlPlaneError not_found, invalid_argument (name, another account's seat, past expiry, rules,
 *   tags, cache), failed_precondition (removed seat; account or team owner suspended or deleted),
 *   already_exists (external id)
 */
export async function createKey(
  context: CreateKeyContext,
  actor: Actor,
  request: {
    account: string;
    name: string;
    seatId?: string | undefined;
    memberId?: string | undefined;
    expiresAtMs?: string | undefined;
    rulesJson?: string | undefined;
    tags?: Tags | undefined;
    cache?: string | undefined;
    externalId?: string | undefined;
    /** Undefined: a new one. */
    rawKey?: string | undefined;
  },
): Promise<{ key: StoredKey; rawKey: string; hasRules: boolean }> {
  const account = await context.accountStore.require(request.account);
  const name = checkKeyName(request.name);
  const { cache, expiresAtMs, externalId, memberId, rulesJson, seatId, tags = {} } = request;
  const owner = {
    accountId: account.id,
    seatId,
    memberId,
    name,
    ...(expiresAtMs === undefined ? {} : { expiresAt: requireFuture(Number(expiresAtMs)) }),
    ...(rulesJson === undefined ? {} : { rules: requireRules(parseJson(rulesJson)) }),
    ...(Object.keys(tags).length === 0 ? {} : { tags: requireTags(tags) }),
    ...(cache === undefined ? {} : { cache: requireCache(cache) }),
    ...(externalId === undefined ? {} : { externalId }),
  };
  const made = newKey(context, owner, request.rawKey);
  const key = await context.keyStore.create(actor, made.key);
  return { key, rawKey: made.rawKey, hasRules: rulesJson !== undefined };
}
