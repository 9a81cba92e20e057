import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';
import { LISTED_KEY } from './key-list-store.ts';
import { storedKey } from './stored-key.ts';

const listedKey = storedKey.extend({
  timezone: z.string(),
  weekStarts: z.string(),
  /** Last change of its rules; null: it has none. */
  rulesUpdatedAt: z.date().nullable(),
});
/** A key with what OpenRouter's form of it needs. */
export type ListedKey = z.infer<typeof listedKey>;

export interface OpenRouterKeyFilter {
  /** Undefined: all accounts. */
  accountId: string | undefined;
  /** Undefined: all of them. */
  keyId?: string;
  includeDisabled: boolean;
  offset: number;
}

/** OpenRouter's page. */
const PAGE = 100;

export class OpenRouterKeyStore extends ReadingStore {
  /** Lists keys that are not revoked for good, newest first. */
  async list(filter: OpenRouterKeyFilter, signal: AbortSignal): Promise<ListedKey[]> {
    const { accountId = null, includeDisabled, keyId = null, offset } = filter;
    return await this.query(z.array(listedKey), signal)`
      SELECT ${LISTED_KEY}, a.timezone, a.week_starts AS "weekStarts", r.updated_at AS "rulesUpdatedAt"
      FROM api_keys k JOIN accounts a ON a.id = k.account_id
      LEFT JOIN rules r ON r.owner = 'key:' || coalesce(k.first_key_id, k.id)
      WHERE k.kind = 'issued' AND (k.revoked_at IS NULL OR (${includeDisabled} AND k.suspended_at IS NOT NULL))
        AND (${accountId}::text IS NULL OR k.account_id = ${accountId})
        AND (${keyId}::text IS NULL OR k.id = ${keyId})
      ORDER BY k.created_at DESC, k.id LIMIT ${Prisma.raw(String(PAGE))} OFFSET ${offset}`;
  }
}
