import { Prisma } from '@model-gateway/database';
import { PrismaStore } from '../database/prisma-store.ts';
import { HASHES } from './stored-hashes.ts';
import type { StoredKey } from './stored-key.ts';

const MAX_LISTED = 1_000;

export class OldPepperStore extends PrismaStore {
  async count(pepperFingerprint: string): Promise<number> {
    return await this.prisma.apiKey.count({ where: notMoved(pepperFingerprint) });
  }

  async list(pepperFingerprint: string): Promise<StoredKey[]> {
    return await this.prisma.apiKey.findMany({
      where: notMoved(pepperFingerprint),
      omit: HASHES,
      orderBy: [{ accountId: 'asc' }, { createdAt: 'asc' }, { id: 'asc' }],
      take: MAX_LISTED,
    });
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

/** Matches active keys not moved yet, including those without a stored fingerprint. */
function notMoved(pepperFingerprint: string): Prisma.ApiKeyWhereInput {
  return {
    revokedAt: null,
    kind: 'issued',
    AND: [
      { OR: [{ pepperFingerprint: null }, { pepperFingerprint: { not: pepperFingerprint } }] },
      { OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
    ],
  };
}
