import type { Logger } from '@model-gateway/service-kit';
import type { Actor } from '../actors/actor.ts';
import type { KeyChangeStore } from './key-change-store.ts';
import { requireFuture } from './require-future.ts';
import { type RevokeKeyContext, revokeKey } from './revoke-key.ts';
import type { StoredKey } from './stored-key.ts';

export interface ExpireKeyContext extends RevokeKeyContext {
  keyChangeStore: Pick<KeyChangeStore, 'setExpiry'>;
  log: Logger;
}

export type KeyExpiry = number | 'now' | 'never';

/**
 * Sets when a key expires, and returns when every data plane knows, as for a revocation. `now` revokes it for
 * good.
 * @returns `unconfirmed`: data planes that did not confirm in time
 * @throws ControlPlaneError not_found, invalid_argument (past moment), failed_precondition (not active)
 */
export async function expireKey(
  context: ExpireKeyContext,
  actor: Actor,
  { keyId, at }: { keyId: string; at: KeyExpiry },
): Promise<{ key: StoredKey; unconfirmed: string[] }> {
  if (at === 'now') return await revokeKey(context, actor, { keyId });
  const expiresAt = at === 'never' ? null : requireFuture(at, '; to end it at once, say now');
  const { key, revision } = await context.keyChangeStore.setExpiry(actor, keyId, expiresAt);
  const expires = key.expiresAt?.toISOString() ?? null;
  context.log.info({ key_id: keyId, account_id: key.accountId, expires_at: expires }, 'key expiry changed');
  const unconfirmed = revision === undefined ? [] : await context.watcherWait.until(revision);
  return { key, unconfirmed };
}
