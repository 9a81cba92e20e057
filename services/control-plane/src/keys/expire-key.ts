import type { Logger } from '@model-gateway/service-kit';
import type { Actor } from '../actors/actor.ts';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import type { KeyChangeStore } from './key-change-store.ts';
import { requireWorkingKey } from './require-working-key.ts';
import { type RevokeKeyContext, requireKey, revokeKey } from './revoke-key.ts';
import type { StoredKey } from './stored-key.ts';

export interface ExpireKeyContext extends RevokeKeyContext {
  keyChangeStore: Pick<KeyChangeStore, 'setExpiry'>;
  log: Logger;
}

/** A time in Unix milliseconds, `now`, or `never`. */
export type KeyEnd = number | 'now' | 'never';

/** The end of the year 9999. Dates after it cannot be shown. */
const LATEST_MS = 253_402_300_799_999;

/**
 * Sets when a key ends by itself, and returns when every data plane knows it. It waits in the same way as a
 * revocation. `now` revokes the key: an ended key never works again.
 * @returns `unconfirmed`: data planes that have not confirmed the change in time; they get the event as soon
 *   as they can be reached
 * @throws ControlPlaneError not_found, invalid_argument (a past moment), failed_precondition (the key does
 *   not work any more)
 */
export async function expireKey(
  context: ExpireKeyContext,
  actor: Actor,
  { keyId, at }: { keyId: string; at: KeyEnd },
): Promise<{ key: StoredKey; unconfirmed: string[] }> {
  if (at === 'now') return await revokeKey(context, actor, { keyId });
  if (at !== 'never' && (at <= Date.now() || at > LATEST_MS)) {
    throw new ControlPlaneError(
      'invalid_argument',
      'a key expires at a moment that is still to come; to end it at once, say now',
    );
  }
  requireWorkingKey(await context.keyStore.find(keyId), keyId);
  const revision = await context.keyChangeStore.setExpiry(keyId, at === 'never' ? null : new Date(at));
  const key = await requireKey(context, keyId);
  // When the store has changed nothing, the key ended a moment ago, and this throws.
  requireWorkingKey(key, keyId);
  const expires = key.expiresAt?.toISOString() ?? null;
  context.log.info({ key_id: keyId, account_id: key.accountId, expires_at: expires }, 'key expiry changed');
  const unconfirmed = revision === undefined ? [] : await context.watcherWait.until(revision);
  return { key, unconfirmed };
}
