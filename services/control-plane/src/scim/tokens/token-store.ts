import { z } from 'zod';
import type { Actor } from '../../actors/actor.ts';
import { recordChange } from '../../audit/record-change.ts';
import { PrismaStore } from '../../database/prisma-store.ts';
import type { LookupHashes } from '../../keys/stored-hashes.ts';
import { type StoredScimToken, storedScimToken } from './stored-token.ts';
import { scimTokenResource } from './token-resource.ts';

const HASHES = { lookupHash: true, previousLookupHash: true } as const;
const resolvedRows = z.array(storedScimToken.extend({ isCurrentHash: z.boolean() }));

export type NewScimToken = LookupHashes &
  Pick<StoredScimToken, 'id' | 'name' | 'displayPrefix' | 'accountId'>;

/** Tokens of identity providers. */
export class ScimTokenStore extends PrismaStore {
  async create(actor: Actor, token: NewScimToken): Promise<StoredScimToken> {
    return await this.prisma.$transaction(async (transaction) => {
      const created = await transaction.scimToken.create({ data: token, omit: HASHES });
      await recordChange(transaction, actor, {
        action: 'scim_token.created',
        object: { type: 'scim_token', id: created.id, name: created.name },
        accountId: created.accountId,
        before: null,
        after: scimTokenResource(created),
      });
      return created;
    });
  }

  /** Revokes a token for good; does nothing if it is revoked. @returns null when there is none */
  async revoke(actor: Actor, id: string): Promise<StoredScimToken | null> {
    return await this.prisma.$transaction(async (transaction) => {
      await transaction.$executeRaw`SELECT FROM scim_tokens WHERE id = ${id} FOR UPDATE`;
      const before = await transaction.scimToken.findUnique({ where: { id }, omit: HASHES });
      if (before === null) return null;
      const data = { revokedAt: before.revokedAt ?? new Date() };
      const after = await transaction.scimToken.update({ where: { id }, data, omit: HASHES });
      await recordChange(transaction, actor, {
        action: 'scim_token.revoked',
        object: { type: 'scim_token', id, name: after.name },
        accountId: after.accountId,
        before: scimTokenResource(before),
        after: scimTokenResource(after),
      });
      return after;
    });
  }

  /** Finds the token in force under one of these hashes; none of a suspended or deleted account. */
  async resolve({
    lookupHash,
    previousLookupHash = lookupHash,
  }: LookupHashes): Promise<z.infer<typeof resolvedRows>[number] | undefined> {
    const hashes = [lookupHash, previousLookupHash];
    const [found] = await this.query(resolvedRows)`
      SELECT t.id, t.name, t.display_prefix AS "displayPrefix", t.account_id AS "accountId",
        t.created_at AS "createdAt", t.revoked_at AS "revokedAt", t.last_used_at AS "lastUsedAt",
        t.lookup_hash = ${lookupHash} AS "isCurrentHash"
      FROM scim_tokens t LEFT JOIN accounts a ON a.id = t.account_id
      WHERE (t.lookup_hash = ANY(${hashes}) OR t.previous_lookup_hash = ANY(${hashes}))
        AND t.revoked_at IS NULL AND a.suspended_at IS NULL AND a.deleted_at IS NULL`;
    return found;
  }

  /** Notes the use of a token, and moves it to the current pepper. */
  async noteUse(id: string, { lookupHash, previousLookupHash }: LookupHashes): Promise<void> {
    await this.prisma.$executeRaw`
      UPDATE scim_tokens SET last_used_at = date_trunc('minute', now()), lookup_hash = ${lookupHash},
        previous_lookup_hash = ${previousLookupHash ?? null}
      WHERE id = ${id}`;
  }

  /** Lists all tokens, newest first, at most 1,000. */
  async list(): Promise<StoredScimToken[]> {
    return await this.prisma.scimToken.findMany({
      omit: HASHES,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: 1_000,
    });
  }
}
