import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';
import { LISTED_KEY } from './key-list-store.ts';
import { type StoredKey, storedKey } from './stored-key.ts';

const MAX_LISTED = 1_000;

export class OldPepperStore extends PrismaStore {
  async count(pepperFingerprint: string): Promise<number> {
    const [row] = await this.query(z.array(z.object({ total: z.int() })))`
      SELECT count(*)::int AS total FROM api_keys k WHERE ${isNotMoved(pepperFingerprint)}`;
    return row?.total ?? 0;
  }

  async list(pepperFingerprint: string): Promise<StoredKey[]> {
    return await this.query(z.array(storedKey))`
      SELECT ${LISTED_KEY} FROM api_keys k WHERE ${isNotMoved(pepperFingerprint)}
      ORDER BY k.account_id, k.created_at, k.id LIMIT ${MAX_LISTED}`;
  }

  /** Deletes hashes under the previous pepper, once no such pepper is configured. */
  async forgetPreviousHashes(pepperFingerprint: string): Promise<void> {
    await this.prisma.$executeRaw`
      UPDATE api_keys SET previous_lookup_hash = NULL WHERE id IN (
        SELECT id FROM api_keys
        WHERE previous_lookup_hash IS NOT NULL AND pepper_fingerprint = ${pepperFingerprint} LIMIT 1000
      )`;
    for (const table of [Prisma.sql`admin_keys`, Prisma.sql`scim_tokens`]) {
      await this.prisma.$executeRaw`
        UPDATE ${table} SET previous_lookup_hash = NULL
        WHERE id IN (SELECT id FROM ${table} WHERE previous_lookup_hash IS NOT NULL LIMIT 1000)`;
    }
  }
}

/** Matches active keys `k` not moved yet, including those without a stored fingerprint. */
function isNotMoved(pepperFingerprint: string): Prisma.Sql {
  return Prisma.sql`k.kind = 'issued' AND k.revoked_at IS NULL
    AND k.pepper_fingerprint IS DISTINCT FROM ${pepperFingerprint}
    AND (k.expires_at IS NULL OR k.expires_at > now())`;
}
