import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { RULES_EXPIRY_OF_KEY } from '../data-planes/levels-of-key-store.ts';
import { ReadingStore } from '../database/reading-store.ts';
import { listOrder } from '../lists/list-order-store.ts';
import type { ListQuery } from '../lists/list-page.ts';
import { type StoredKey, storedKey } from './stored-key.ts';

/** Columns of a key `k`, as `storedKey` has them. */
export const LISTED_KEY = Prisma.sql`
  k.id, k.account_id AS "accountId", k.seat_id AS "seatId", k.name, k.display_prefix AS "displayPrefix",
  k.kind, k.created_at AS "createdAt", k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt",
  k.suspended_at AS "suspendedAt", k.replaced_by AS "replacedBy",
  k.first_key_id AS "firstKeyId", k.tags, k.cache,
  k.external_id AS "externalId", k.member_id AS "memberId", k.stopped_by AS "stoppedBy",
  ${RULES_EXPIRY_OF_KEY} AS "rulesExpireAt"`;

export class KeyListStore extends ReadingStore {
  async ofAccount(accountId: string, query: ListQuery, signal: AbortSignal): Promise<StoredKey[]> {
    const { isAfter, orderAndLimit } = listOrder('k', 'newest', query);
    return await this.query(z.array(storedKey), signal)`
      SELECT ${LISTED_KEY} FROM api_keys k
      WHERE k.account_id = ${accountId} AND k.kind <> 'playground' AND ${isAfter} ${orderAndLimit}`;
  }

  /** Lists keys of any accounts, newest first, one more than the limit. @param filter absent: all */
  async page(filter: KeyFilter, query: ListQuery, signal: AbortSignal): Promise<StoredKey[]> {
    const { isAfter, orderAndLimit } = listOrder('k', 'newest', query);
    const conditions = [
      Prisma.sql`k.kind <> 'playground'`,
      isAfter,
      ...(filter.accountId === undefined ? [] : [Prisma.sql`k.account_id = ${filter.accountId}`]),
      ...(filter.seatId === undefined ? [] : [Prisma.sql`k.seat_id = ${filter.seatId}`]),
      ...(filter.externalId === undefined ? [] : [Prisma.sql`k.external_id = ${filter.externalId}`]),
    ];
    return await this.query(z.array(storedKey), signal)`
      SELECT ${LISTED_KEY} FROM api_keys k WHERE ${Prisma.join(conditions, ' AND ')} ${orderAndLimit}`;
  }
}

export interface KeyFilter {
  accountId?: string | undefined;
  seatId?: string | undefined;
  externalId?: string | undefined;
}
