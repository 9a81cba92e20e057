import type { Logger } from '@model-gateway/service-kit';
import type { Actor } from '../actors/actor.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import type { KeyChangeStore } from './key-change-store.ts';
import { requireActiveKey } from './require-active-key.ts';
import { type RevokeKeyContext, requireKey, revokeKey } from './revoke-key.ts';
import type { StoredKey } from './stored-key.ts';

export interface ExpireKeyContext extends RevokeKeyContext {
  keyChangeStore: Pick<KeyChangeStore, 'setExpiry'>;
  log: Logger;
}

export type KeyExpiry = number | 'now' | 'never';

/** End of the year 9999; later dates cannot be shown. */
const LATEST_MS = 253_402_300_799_999;

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
  if (at !== 'never' && (at <= Date.now() || at > LATEST_MS)) {
    throw invalidArgument('a key expires at a moment that is still to come; to end it at once, say now');
  }
  requireActiveKey(await context.keyStore.find(keyId), keyId);
  const revision = await context.keyChangeStore.setExpiry(keyId, at === 'never' ? null : new Date(at));
  const key = await requireKey(context, keyId);
  // Throws if the key ended after the check above: then the store changed nothing.
  requireActiveKey(key, keyId);
  const expires = key.expiresAt?.toISOString() ?? null;
  context.log.info({ key_id: keyId, account_id: key.accountId, expires_at: expires }, 'key expiry changed');
  const unconfirmed = revision === undefined ? [] : await context.watcherWait.until(revision);
  return { key, unconfirmed };
}
