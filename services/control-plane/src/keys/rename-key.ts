import type { Logger } from '@model-gateway/service-kit';
import type { Actor } from '../actors/actor.ts';
import { notFound } from '../errors/control-plane-error.ts';
import { checkKeyName } from './check-key-name.ts';
import type { KeyChangeStore } from './key-change-store.ts';
import type { StoredKey } from './stored-key.ts';

/** Renames a key, active or revoked. @throws ControlPlaneError not_found, invalid_argument (name) */
export async function renameKey(
  { keyChangeStore, log }: { keyChangeStore: KeyChangeStore; log: Logger },
  actor: Actor,
  { keyId, name }: { keyId: string; name: string },
): Promise<StoredKey> {
  const key = await keyChangeStore.rename(actor, keyId, checkKeyName(name));
  if (key === null) throw notFound(`there is no key ${keyId}`);
  log.info({ key_id: key.id, account_id: key.accountId }, 'key renamed');
  return key;
}
