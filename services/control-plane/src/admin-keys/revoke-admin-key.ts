import type { Logger } from '@model-gateway/service-kit';
import type { Actor } from '../actors/actor.ts';
import { notFound } from '../errors/control-plane-error.ts';
import type { AdminKeyStore } from './admin-key-store.ts';
import type { StoredAdminKey } from './stored-admin-key.ts';

export interface RevokeAdminKeyContext {
  adminKeyStore: Pick<AdminKeyStore, 'find' | 'revoke'>;
  log: Logger;
}

/**
 * Revokes a key of the management API for good. Every control plane refuses its next request, because each
 * reads the key from the database.
 * @throws ControlPlaneError not_found
 */
export async function revokeAdminKey(
  context: RevokeAdminKeyContext,
  actor: Actor,
  id: string,
): Promise<StoredAdminKey> {
  await requireAdminKey(context, actor, id);
  const key = await context.adminKeyStore.revoke(actor, id);
  if (key === null) throw notFound(`there is no admin key ${id}`);
  context.log.info({ admin_key_id: id, account_id: key.accountId ?? undefined }, 'admin key revoked');
  return key;
}

/** Finds a key that the caller may see: that of another account is missing. @throws ControlPlaneError */
export async function requireAdminKey(
  { adminKeyStore }: { adminKeyStore: Pick<AdminKeyStore, 'find'> },
  actor: Actor,
  id: string,
): Promise<StoredAdminKey> {
  const key = await adminKeyStore.find(id);
  const own = 'accountId' in actor ? actor.accountId : undefined;
  if (key === null || (own !== undefined && key.accountId !== own))
    throw notFound(`there is no admin key ${id}`);
  return key;
}
