import { Prisma } from '@model-gateway/database';
import { lockForUser } from '../access/role-store.ts';
import type { UserActor } from '../actors/actor.ts';
import { revokeKeys, UNEXPIRED } from '../data-planes/key-event-store.ts';
import { PrismaStore } from '../database/prisma-store.ts';
import { failedPrecondition } from '../errors/control-plane-error.ts';
import { insertKey, type NewKey, recordNewKey } from './new-key-store.ts';
import type { StoredKey } from './stored-key.ts';

/** By then no data plane and no key event knows the key (KeyEventListStore.prune). */
const FORGET_AFTER = '24 hours';

export class HolderKeyStore extends PrismaStore {
  /**
   * Issues a key, unless `maxActive` keys are active.
   * @throws ControlPlaneError as KeyStore.create; failed_precondition (also: the user has lost its role)
   */
  async createIssued(actor: UserActor, key: NewKey, maxActive: number): Promise<StoredKey> {
    const { accountId } = key;
    return await this.prisma.$transaction(async (transaction) => {
      // Serializes these calls, so that each counts the keys of the others.
      await lockForUser(transaction, actor, 'developer');
      const active = await transaction.apiKey.count({
        where: {
          accountId,
          kind: 'issued',
          revokedAt: null,
          OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }],
        },
      });
      if (active < maxActive) return await recordNewKey(transaction, actor, key);
      throw failedPrecondition(
        `an account has at most ${maxActive} keys that work: revoke one that is not used any more`,
      );
    });
  }

  /**
   * Issues a hidden key, and revokes the oldest until at most `maxLive` are active. Does not wait until data
   * planes know of these revocations, because no holder requested them. Records no audit event: the key is
   * never listed, ends within minutes, and belongs to a session whose sign-in is recorded.
   * @throws ControlPlaneError as createIssued
   */
  async createPlayground(
    actor: UserActor,
    key: NewKey,
    { expiresAt, maxLive }: { expiresAt: Date; maxLive: number },
  ): Promise<StoredKey> {
    const { accountId } = key;
    return await this.prisma.$transaction(async (transaction) => {
      // Serializes these calls, so that each sees the keys of the others.
      await lockForUser(transaction, actor, 'developer');
      const created = await insertKey(transaction, { ...key, kind: 'playground', expiresAt });
      await revokeKeys(
        transaction,
        Prisma.sql`id IN (
          SELECT id FROM api_keys
          WHERE account_id = ${accountId} AND kind = 'playground' AND revoked_at IS NULL AND ${UNEXPIRED}
          ORDER BY id = ${created.id} DESC, created_at DESC, id OFFSET ${maxLive}
        )`,
      );
      return created;
    });
  }

  /** Deletes hidden keys a day after expiry. */
  async prune(): Promise<void> {
    await this.prisma.$executeRaw`
      DELETE FROM api_keys WHERE expires_at < now() - ${FORGET_AFTER}::interval AND kind = 'playground'`;
  }
}
