import { Prisma, type PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import { ControlPlaneError } from '../control-plane-error.ts';
import { revokeKeys, UNEXPIRED } from './key-event-store.ts';
import type { StoredKey } from './key-store.ts';
import { insertKey, type NewKey } from './new-key-store.ts';

const holderKey = z.object({
  id: z.string(),
  accountId: z.string(),
  seatId: z.string().nullable(),
  name: z.string(),
  displayPrefix: z.string(),
  kind: z.string(),
  createdAt: z.date(),
  revokedAt: z.date().nullable(),
  teamId: z.string().nullable(),
  teamName: z.string().nullable(),
  lastUsedAt: z.date().nullable(),
  requestsThisMonth: z.bigint(),
});

const lockedRows = z.array(z.object({ signInId: z.string().nullable() }));

/** A key as its holder sees it. */
export type HolderKey = z.infer<typeof holderKey>;

/** By then no data plane remembers the key, nor do key events (KeyStore.pruneEvents). */
const FORGET_AFTER = '24 hours';

/** Keys as account holders see them, and the hidden ones that the dashboard uses for them. */
export class HolderKeyStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /** Without the hidden ones, newest first; months are UTC. */
  async list(accountId: string): Promise<HolderKey[]> {
    return z.array(holderKey).parse(await this.#prisma.$queryRaw(holderKeysStatement(accountId)));
  }

  /**
   * Issues a key unless the account has `maxActive` that work.
   * @param signInId whose the account has to be; undefined: whoever asks
   * @throws ControlPlaneError as KeyStore.create; failed_precondition
   */
  async createIssued(key: NewKey, maxActive: number, signInId: string | undefined): Promise<StoredKey> {
    const { accountId } = key;
    return await this.#prisma.$transaction(async (transaction) => {
      // One at a time, so that each counts the others' keys.
      await lockAccount(transaction, accountId, signInId);
      const active = await transaction.apiKey.count({
        where: { accountId, kind: 'issued', revokedAt: null },
      });
      if (active < maxActive) return await insertKey(transaction, key);
      throw new ControlPlaneError(
        'failed_precondition',
        `an account has at most ${maxActive} keys that work: revoke one that is not used any more`,
      );
    });
  }

  /**
   * Issues a hidden key; of those that the account has, the oldest are revoked until at most `maxLive` work. Nobody waits
   * for that: it keeps their number within bounds, and no holder has asked for it.
   * @param signInId as for createIssued
   * @throws ControlPlaneError as KeyStore.create; failed_precondition
   */
  async createPlayground(
    key: NewKey,
    { expiresAt, maxLive, signInId }: { expiresAt: Date; maxLive: number; signInId: string | undefined },
  ): Promise<StoredKey> {
    const { accountId } = key;
    return await this.#prisma.$transaction(async (transaction) => {
      // One at a time, so that each sees the others' keys.
      await lockAccount(transaction, accountId, signInId);
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

  /** Forgets hidden keys a day after they have expired; they are many, and nobody can ask for them by name. */
  async prune(): Promise<void> {
    await this.#prisma.$executeRaw`
      DELETE FROM api_keys WHERE expires_at < now() - ${FORGET_AFTER}::interval AND kind = 'playground'`;
  }
}

/**
 * Keeps the account whose it is until the transaction ends: a request of a sign-in that loses it meanwhile makes no key that
 * is left when the account's keys are revoked.
 * @throws ControlPlaneError failed_precondition
 */
async function lockAccount(
  transaction: Prisma.TransactionClient,
  accountId: string,
  signInId: string | undefined,
): Promise<void> {
  const rows = lockedRows.parse(
    await transaction.$queryRaw`
      SELECT sign_in_id AS "signInId" FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`,
  );
  if (signInId === undefined || rows[0]?.signInId === signInId) return;
  throw new ControlPlaneError('failed_precondition', 'this sign-in has lost its account: sign in again');
}

/** Exported for the test that reads its plan: one look-up in an index for each key, whatever has been used. */
export function holderKeysStatement(accountId: string): Prisma.Sql {
  return Prisma.sql`
    SELECT k.id, k.account_id AS "accountId", k.seat_id AS "seatId", k.name, k.display_prefix AS "displayPrefix", k.kind,
      k.created_at AS "createdAt", k.revoked_at AS "revokedAt", t.id AS "teamId", t.name AS "teamName",
      latest.ended_at AS "lastUsedAt", coalesce(this_month.requests, 0)::bigint AS "requestsThisMonth"
    FROM api_keys k
    LEFT JOIN seats s ON s.id = k.seat_id
    LEFT JOIN teams t ON t.id = s.team_id
    LEFT JOIN LATERAL (
      SELECT r.ended_at FROM usage_records r WHERE r.key_id = k.id ORDER BY r.ended_at DESC LIMIT 1
    ) AS latest ON true
    LEFT JOIN (
      SELECT key_id, sum(requests) AS requests FROM usage_rollups
      WHERE account_id = ${accountId} AND width = 86400 AND bucket >= date_trunc('month', now(), 'UTC')
        AND seat_id = ANY(ARRAY(SELECT id FROM seats WHERE account_id = ${accountId}) || ''::text)
      GROUP BY key_id
    ) AS this_month ON this_month.key_id = k.id
    WHERE k.account_id = ${accountId} AND k.kind <> 'playground'
    ORDER BY k.created_at DESC, k.id`;
}
