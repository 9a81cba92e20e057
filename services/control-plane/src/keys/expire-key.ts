import type { Logger } from '@model-gateway/service-kit';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import type { KeyChangeStore } from './key-change-store.ts';
import { requireWorkingKey } from './require-working-key.ts';
import { type RevokeKeyContext, requireKey, revokeKey } from './revoke-key.ts';
import type { StoredKey } from './stored-key.ts';

export interface ExpireKeyContext extends RevokeKeyContext {
  keyChangeStore: Pick<KeyChangeStore, 'setExpiry'>;
  log: Logger;
}

/** Unix milliseconds, or at once, or not at all. */
export type KeyEnd = number | 'now' | 'never';

/** The end of the year 9999: what comes later no clock shows. */
const LATEST_MS = 253_402_300_799_999;

/**
 * Says when a key ends by itself, and returns when every data plane knows it; the wait is that of a
 * revocation. `now` revokes it: what has ended does not come back.
 * @returns `unconfirmed`: data planes of which that is not known after the wait; their event stays due
 * @throws ControlPlaneError not_found, invalid_argument (a past moment), failed_precondition (it does not
 *   work any more)
 */
export async function expireKey(
  context: ExpireKeyContext,
  { keyId, at }: { keyId: string; at: KeyEnd },
): Promise<{ key: StoredKey; unconfirmed: string[] }> {
  if (at === 'now') return await revokeKey(context, keyId);
  if (at !== 'never' && (at <= Date.now() || at > LATEST_MS)) {
    throw new ControlPlaneError(
      'invalid_argument',
      'a key expires at a moment that is still to come; to end it at once, say now',
    );
  }
  requireWorkingKey(await context.keyStore.find(keyId), keyId);
  const revision = await context.keyChangeStore.setExpiry(keyId, at === 'never' ? null : new Date(at));
  const key = await requireKey(context, keyId);
  // It has ended just now: then it has not been changed.
  requireWorkingKey(key, keyId);
  const expires = key.expiresAt?.toISOString() ?? null;
  context.log.info({ key_id: keyId, account_id: key.accountId, expires_at: expires }, 'key expiry changed');
  const unconfirmed = revision === undefined ? [] : await context.watcherWait.until(revision);
  return { key, unconfirmed };
}
