import { visibilityOf } from '../access/visibility.ts';
import type { Actor, UserActor } from '../actors/actor.ts';
import type { KeyEventListStore } from '../data-planes/key-event-list-store.ts';
import { type RevocationContext, waitForRevocation } from '../data-planes/wait-for-revocation.ts';
import { notFound } from '../errors/control-plane-error.ts';
import type { KeyStore } from './key-store.ts';
import type { StoredKey } from './stored-key.ts';

export interface RevokeKeyContext extends RevocationContext {
  keyStore: KeyStore;
  keyEventListStore: Pick<KeyEventListStore, 'revocationOf'>;
}

/**
 * Revokes a key and returns when no data plane accepts it: each has acknowledged, or its lease on cached keys
 * has run out. Waits again for a revoked key, so that an interrupted call can be repeated.
 * @returns `unconfirmed`: data planes that did not acknowledge in time, and `redis` when the write failed
 * @throws ControlPlaneError not_found
 */
export async function revokeKey(
  context: RevokeKeyContext,
  actor: Actor,
  { keyId }: { keyId: string },
): Promise<{ key: StoredKey; unconfirmed: string[] }> {
  const { key, revision } = await context.keyStore.revoke(actor, keyId);
  const waitsFor = revision ?? (await context.keyEventListStore.revocationOf(keyId));
  return { key, unconfirmed: await waitForRevocation(context, waitsFor) };
}

export async function requireKey(
  { keyStore }: Pick<RevokeKeyContext, 'keyStore'>,
  keyId: string,
): Promise<StoredKey> {
  const key = await keyStore.find(keyId);
  if (key === null) throw notFound(`there is no key ${keyId}`);
  return key;
}

/**
 * Finds a key that a user may see, treating others as missing: a developer sees those that it made.
 * @throws ControlPlaneError not_found
 */
export async function requireVisibleKey(
  context: Pick<RevokeKeyContext, 'keyStore'>,
  actor: UserActor,
  keyId: string,
): Promise<StoredKey> {
  const { accountId, memberId } = visibilityOf(actor);
  const key = await requireOwnKey(context, accountId, keyId);
  if (memberId !== undefined && key.memberId !== memberId) throw notFound(`there is no key ${keyId}`);
  return key;
}

/** Finds a key of the account, treating others' keys as missing. @throws ControlPlaneError not_found */
export async function requireOwnKey(
  context: Pick<RevokeKeyContext, 'keyStore'>,
  accountId: string,
  keyId: string,
): Promise<StoredKey> {
  const key = await requireKey(context, keyId);
  if (key.accountId !== accountId) throw notFound(`there is no key ${keyId}`);
  return key;
}
