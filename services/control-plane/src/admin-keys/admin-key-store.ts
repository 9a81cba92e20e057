import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { lockForUser } from '../access/role-store.ts';
import { isStoppedWithoutMembers } from '../access/stopped-account-store.ts';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { PrismaStore } from '../database/prisma-store.ts';
import type { LookupHashes } from '../keys/stored-hashes.ts';
import { listOrder } from '../lists/list-order-store.ts';
import type { ListQuery } from '../lists/list-page.ts';
import { adminKeyResource } from './admin-key-resource.ts';
import { type StoredAdminKey, storedAdminKey } from './stored-admin-key.ts';

const HASHES = { lookupHash: true, previousLookupHash: true } as const;

const COLUMNS = Prisma.sql`
  k.id, k.name, k.display_prefix AS "displayPrefix", k.scopes, k.account_id AS "accountId", k.networks,
  k.created_at AS "createdAt", k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt",
  k.last_used_at AS "lastUsedAt"`;

const resolvedRows = z.array(storedAdminKey.extend({ lookupHash: z.string(), stopped: z.boolean() }));
export type ResolvedAdminKey = z.infer<typeof resolvedRows>[number];

export type NewAdminKey = LookupHashes &
  Pick<StoredAdminKey, 'id' | 'name' | 'displayPrefix' | 'scopes' | 'accountId' | 'networks' | 'expiresAt'>;

export class AdminKeyStore extends PrismaStore {
  /** @throws ControlPlaneError failed_precondition (the user has lost its role) */
  async create(actor: Actor, { scopes, ...key }: NewAdminKey): Promise<StoredAdminKey> {
    return await this.prisma.$transaction(async (transaction) => {
      if (actor.type === 'user') await lockForUser(transaction, actor, 'admin');
      const data = { ...key, scopes: [...scopes] };
      const created = storedAdminKey.parse(await transaction.adminKey.create({ data, omit: HASHES }));
      await recordChange(transaction, actor, {
        action: 'admin_key.created',
        object: { type: 'admin_key', id: created.id, name: created.name },
        accountId: created.accountId,
        before: null,
        after: adminKeyResource(created),
      });
      return created;
    });
  }

  /** Revokes a key for good; does nothing if it is revoked. @returns null when there is none */
  async revoke(actor: Actor, id: string): Promise<StoredAdminKey | null> {
    return await this.prisma.$transaction(async (transaction) => {
      await transaction.$executeRaw`SELECT FROM admin_keys WHERE id = ${id} FOR UPDATE`;
      const row = await transaction.adminKey.findUnique({ where: { id }, omit: HASHES });
      if (row === null) return null;
      const before = storedAdminKey.parse(row);
      const data = { revokedAt: before.revokedAt ?? new Date() };
      const after = storedAdminKey.parse(
        await transaction.adminKey.update({ where: { id }, data, omit: HASHES }),
      );
      await recordChange(transaction, actor, {
        action: 'admin_key.revoked',
        object: { type: 'admin_key', id, name: after.name },
        accountId: after.accountId,
        before: adminKeyResource(before),
        after: adminKeyResource(after),
      });
      return after;
    });
  }

  async find(id: string): Promise<StoredAdminKey | null> {
    const row = await this.prisma.adminKey.findUnique({ where: { id }, omit: HASHES });
    return row && storedAdminKey.parse(row);
  }

  /**
   * Finds the key that is in force under one of these hashes. `stopped`: the account to which it is bound is
   * suspended, or its owner is stopped and nobody else is a member.
   */
  async resolve({ lookupHash, previousLookupHash }: LookupHashes): Promise<ResolvedAdminKey | undefined> {
    const hashes = [lookupHash, ...(previousLookupHash === undefined ? [] : [previousLookupHash])];
    const [found] = await this.query(resolvedRows)`
      SELECT ${COLUMNS}, k.lookup_hash AS "lookupHash",
        a.suspended_at IS NOT NULL OR ${isStoppedWithoutMembers('a')} AS stopped
      FROM admin_keys k LEFT JOIN accounts a ON a.id = k.account_id
      WHERE (k.lookup_hash = ANY(${hashes}) OR k.previous_lookup_hash = ANY(${hashes}))
        AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()) AND a.deleted_at IS NULL`;
    return found;
  }

  /** Notes the use of a key, at most once a minute, and moves it to the current pepper. */
  async noteUse(id: string, hashes: LookupHashes): Promise<void> {
    const previous = hashes.previousLookupHash ?? null;
    await this.prisma.$executeRaw`
      UPDATE admin_keys SET last_used_at = date_trunc('minute', now()), lookup_hash = ${hashes.lookupHash},
        previous_lookup_hash = ${previous}
      WHERE id = ${id}`;
  }

  /** Lists keys, newest first, one more than the limit. @param accountId undefined: all */
  async list(accountId: string | undefined, query: ListQuery): Promise<StoredAdminKey[]> {
    const { isAfter, orderAndLimit } = listOrder('k', 'newest', query);
    const isListed = accountId === undefined ? Prisma.sql`true` : Prisma.sql`k.account_id = ${accountId}`;
    return await this.query(z.array(storedAdminKey))`
      SELECT ${COLUMNS} FROM admin_keys k WHERE ${isListed} AND ${isAfter} ${orderAndLimit}`;
  }
}
