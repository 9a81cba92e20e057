import { Prisma } from '@model-gateway/database';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { announceKeyChanges, revokeKeys } from '../data-planes/key-event-store.ts';
import { PrismaStore, type Transaction } from '../database/prisma-store.ts';
import { failedPrecondition } from '../errors/control-plane-error.ts';
import { keyChange } from './key-change.ts';
import { lockKey } from './locked-key-store.ts';
import { insertKey, type NewKey } from './new-key-store.ts';
import { readKey } from './read-key-store.ts';
import { requireActiveKey } from './require-active-key.ts';
import type { StoredKey } from './stored-key.ts';

/** A changed key, and the revision of its event; undefined when no data plane needs to know. */
export interface ChangedKey {
  key: StoredKey;
  revision: bigint | undefined;
}

export class KeyChangeStore extends PrismaStore {
  /** @returns null when there is no such key, or it is hidden */
  async rename(actor: Actor, id: string, name: string): Promise<StoredKey | null> {
    return await this.prisma.$transaction(async (transaction) => {
      const before = await lockKey(transaction, id);
      if (before?.kind !== 'issued') return null;
      const key = await update(transaction, id, { name });
      await recordChange(transaction, actor, keyChange('api_key.updated', before, key));
      return key;
    });
  }

  /**
   * Changes the expiry of an active key and makes data planes reload it.
   * @param expiresAt null: never
   * @throws ControlPlaneError not_found, failed_precondition (not active)
   */
  async setExpiry(actor: Actor, id: string, expiresAt: Date | null): Promise<ChangedKey> {
    return await this.prisma.$transaction(async (transaction) => {
      const before = requireActiveKey(await lockKey(transaction, id), id);
      const key = await update(transaction, id, { expiresAt });
      const revision = await announceKeyChanges(transaction, Prisma.sql`id = ${id}`);
      await recordChange(transaction, actor, keyChange('api_key.updated', before, key));
      return { key, revision };
    });
  }

  /**
   * Issues a key that expires when an older one would have, and ends the older one after the overlap (0: at
   * once). Locks account, seat and team before the key, like all code that revokes keys.
   * @throws ControlPlaneError as KeyStore.create; failed_precondition (older key inactive or already rotated)
   */
  async replace(
    actor: Actor,
    id: string,
    newKey: NewKey,
    overlapMs: number,
  ): Promise<ChangedKey & { replaced: StoredKey }> {
    return await this.prisma.$transaction(async (transaction) => {
      await transaction.$executeRaw`SELECT FROM accounts WHERE id = ${newKey.accountId} FOR SHARE`;
      const created = await insertKey(transaction, newKey);
      const before = requireActiveKey(await lockKey(transaction, id), id);
      const { expiresAt, replacedBy } = before;
      if (replacedBy !== null) {
        throw failedPrecondition(`the key ${id} was rotated before: rotate ${replacedBy}`);
      }
      await update(transaction, id, { replacedBy: created.id });
      const key = expiresAt === null ? created : await update(transaction, created.id, { expiresAt });
      const revision =
        overlapMs === 0
          ? await revokeKeys(transaction, Prisma.sql`id = ${id}`)
          : await endAfter(transaction, id, overlapMs);
      const replaced = await readKey(transaction, id);
      const rotated = keyChange('api_key.rotated', before, replaced);
      await recordChange(transaction, actor, rotated, keyChange('api_key.created', null, key));
      return { key, replaced, revision };
    });
  }
}

async function update(
  transaction: Transaction,
  id: string,
  data: Prisma.ApiKeyUpdateInput,
): Promise<StoredKey> {
  await transaction.apiKey.update({ where: { id }, data, select: { id: true } });
  return await readKey(transaction, id);
}

async function endAfter(
  transaction: Transaction,
  id: string,
  overlapMs: number,
): Promise<bigint | undefined> {
  await transaction.$executeRaw`
    UPDATE api_keys
    SET expires_at = least(expires_at, now() + make_interval(secs => ${overlapMs / 1_000}::float8))
    WHERE id = ${id}`;
  return await announceKeyChanges(transaction, Prisma.sql`id = ${id}`);
}
