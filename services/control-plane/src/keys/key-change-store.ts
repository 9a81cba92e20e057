import { Prisma } from '@model-gateway/database';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { announceKeyChanges, revokeKeys, UNEXPIRED } from '../data-planes/key-event-store.ts';
import { PrismaStore } from '../database/prisma-store.ts';
import { failedPrecondition } from '../errors/control-plane-error.ts';
import { keyResource } from './key-resource.ts';
import { insertKey, type NewKey } from './new-key-store.ts';
import { requireActiveKey } from './require-active-key.ts';
import { HASHES } from './stored-hashes.ts';
import type { StoredKey } from './stored-key.ts';

export class KeyChangeStore extends PrismaStore {
  /** @returns null when there is no such key, or it is hidden */
  async rename(actor: Actor, id: string, name: string): Promise<StoredKey | null> {
    return await this.prisma.$transaction(async (transaction) => {
      const before = await lockKey(transaction, id);
      if (before?.kind !== 'issued') return null;
      const key = await transaction.apiKey.update({ where: { id }, data: { name }, omit: HASHES });
      await recordChange(transaction, actor, {
        action: 'api_key.updated',
        object: { type: 'key', id, name: key.name },
        accountId: key.accountId,
        before: keyResource(before),
        after: keyResource(key),
      });
      return key;
    });
  }

  /**
   * Changes the expiry of an active key and tells data planes to forget it.
   * @param expiresAt null: never
   * @returns the event's revision; undefined when the key is not active
   */
  async setExpiry(id: string, expiresAt: Date | null): Promise<bigint | undefined> {
    return await this.prisma.$transaction(async (transaction) => {
      const changed = await transaction.$executeRaw`
        UPDATE api_keys SET expires_at = ${expiresAt}
        WHERE id = ${id} AND kind = 'issued' AND revoked_at IS NULL AND ${UNEXPIRED}`;
      return changed === 0 ? undefined : await announceKeyChanges(transaction, Prisma.sql`id = ${id}`);
    });
  }

  /**
   * Issues a key that expires when an older one would have, and ends the older one after the overlap (0: at
   * once). Locks account, seat and team before the key, like all code that revokes keys.
   * @throws ControlPlaneError as KeyStore.create; failed_precondition (older key inactive or already rotated)
   */
  async replace(
    id: string,
    key: NewKey,
    overlapMs: number,
  ): Promise<{ key: StoredKey; replaced: StoredKey; revision: bigint | undefined }> {
    return await this.prisma.$transaction(async (transaction) => {
      await transaction.$executeRaw`SELECT FROM accounts WHERE id = ${key.accountId} FOR SHARE`;
      const created = await insertKey(transaction, key);
      await transaction.$executeRaw`SELECT FROM api_keys WHERE id = ${id} FOR UPDATE`;
      const find = () => transaction.apiKey.findUnique({ where: { id }, omit: HASHES });
      const { expiresAt, replacedBy } = requireActiveKey(await find(), id);
      if (replacedBy !== null) {
        throw failedPrecondition(`the key ${id} was rotated before: rotate ${replacedBy}`);
      }
      await transaction.apiKey.update({ where: { id }, data: { replacedBy: created.id } });
      if (expiresAt !== null)
        await transaction.apiKey.update({ where: { id: created.id }, data: { expiresAt } });
      const revision =
        overlapMs === 0
          ? await revokeKeys(transaction, Prisma.sql`id = ${id}`)
          : await endAfter(transaction, id, overlapMs);
      const replaced = await find();
      if (replaced === null) throw new Error('a key that was replaced is missing');
      return { key: { ...created, expiresAt }, replaced, revision };
    });
  }
}

async function endAfter(
  transaction: Prisma.TransactionClient,
  id: string,
  overlapMs: number,
): Promise<bigint | undefined> {
  await transaction.$executeRaw`
    UPDATE api_keys
    SET expires_at = least(expires_at, now() + make_interval(secs => ${overlapMs / 1_000}::float8))
    WHERE id = ${id}`;
  return await announceKeyChanges(transaction, Prisma.sql`id = ${id}`);
}

/** Finds a key and keeps others from changing it until the commit. */
async function lockKey(transaction: Prisma.TransactionClient, id: string): Promise<StoredKey | null> {
  await transaction.$executeRaw`SELECT FROM api_keys WHERE id = ${id} FOR UPDATE`;
  return await transaction.apiKey.findUnique({ where: { id }, omit: HASHES });
}
