import type { Actor } from '../actors/actor.ts';
import type { KeyEventListStore } from '../data-planes/key-event-list-store.ts';
import { type RevocationReachedContext, revocationReached } from '../data-planes/revocation-reached.ts';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import type { KeyStore } from './key-store.ts';
import type { StoredKey } from './stored-key.ts';

export interface RevokeKeyContext extends RevocationReachedContext {
  keyStore: KeyStore;
  keyEventListStore: Pick<KeyEventListStore, 'revocationOf'>;
}

/**
 * Revokes a key and returns when no data plane accepts it any more: each has acknowledged the event, or its
 * lease on cached keys has run out. For a key that is already revoked it waits in the same way, so that a
 * call that was cut off can be repeated.
 *
 * @returns `unconfirmed`: data planes that did not acknowledge it in time, and `redis` when it could not be
 *   written there; they get it as soon as they can be reached
 * @throws ControlPlaneError not_found
 */
export async function revokeKey(
  context: RevokeKeyContext,
  _actor: Actor,
  { keyId }: { keyId: string },
): Promise<{ key: StoredKey; unconfirmed: string[] }> {
  const { keyEventListStore, keyStore } = context;
  const revision = (await keyStore.revoke(keyId)) ?? (await keyEventListStore.revocationOf(keyId));
  const unconfirmed = revision === undefined ? [] : await revocationReached(context, revision);
  return { key: await requireKey(context, keyId), unconfirmed };
}

/** @throws ControlPlaneError not_found */
export async function requireKey(
  { keyStore }: Pick<RevokeKeyContext, 'keyStore'>,
  keyId: string,
): Promise<StoredKey> {
  const key = await keyStore.find(keyId);
  if (key === null) throw new ControlPlaneError('not_found', `there is no key ${keyId}`);
  return key;
}
