import { Prisma, type PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import { lockListedKeys, REVOCABLE, revokeKeys, UNEXPIRED } from '../data-planes/key-event-store.ts';
import { isUniqueViolation } from '../database/unique-violation.ts';
import type { StoredAccount } from './account-store.ts';
import { endGivenSeats, endInvitations, endSignIn, keysGivenOut } from './proven-address-store.ts';

const expiryRows = z.tuple([z.object({ expiresAt: z.date() })]);
const lockedRows = z.tuple([z.object({ signInId: z.string().nullable(), isVerified: z.boolean() })]);
const redeemedRows = z.array(z.object({ accountId: z.string(), signInId: z.string() }));

interface NewReset {
  tokenHash: string;
  validHours: number;
  revokesKeys: boolean | undefined;
}

/** Which sign-in of the dashboard owns which account, and the password resets by operators. */
export class SignInStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  async accountOf(signInId: string): Promise<StoredAccount | null> {
    return await this.#prisma.account.findUnique({ where: { signInId } });
  }

  /**
   * Takes the account back from whoever has signed in to it, and replaces its earlier reset. Until the new
   * one is used, nobody signs in to the account but who proves its address. With its keys the invitations end
   * that it gave out, and where its address is not proven the seats, too.
   * @param tokenHash lower-case hex SHA-256 of the token
   * @param revokesKeys undefined: if somebody has signed in to the account, who could have made them
   */
  async offerReset(
    accountId: string,
    { tokenHash, validHours, revokesKeys }: NewReset,
  ): Promise<{ expiresAt: Date; revision: bigint | undefined; revokedKeys: string[] }> {
    return await this.#prisma.$transaction(async (transaction) => {
      const [{ signInId, isVerified }] = lockedRows.parse(
        await transaction.$queryRaw`
          SELECT sign_in_id AS "signInId", email_verified_at IS NOT NULL AS "isVerified"
          FROM accounts WHERE id = ${accountId} FOR UPDATE`,
      );
      await endSignIn(transaction, accountId);
      await transaction.$executeRaw`UPDATE accounts SET sign_in_id = NULL WHERE id = ${accountId}`;
      const [{ expiresAt }] = expiryRows.parse(
        await transaction.$queryRaw`
          INSERT INTO password_resets (account_id, token_hash, expires_at)
          VALUES (${accountId}, ${tokenHash}, now() + make_interval(hours => ${validHours}::int))
          ON CONFLICT (account_id) DO UPDATE
            SET token_hash = EXCLUDED.token_hash, expires_at = EXCLUDED.expires_at
          RETURNING expires_at AS "expiresAt"`,
      );
      if (!(revokesKeys ?? signInId !== null)) return { expiresAt, revision: undefined, revokedKeys: [] };
      await endInvitations(transaction, accountId);
      // Seats that somebody without proof of the address gave out are not trusted. Where the address is
      // proven they stay: people work on them.
      if (!isVerified) await endGivenSeats(transaction, accountId);
      const theirs = isVerified ? Prisma.sql`account_id = ${accountId}` : keysGivenOut(accountId);
      const active = Prisma.sql`${theirs} AND ${REVOCABLE} AND ${UNEXPIRED}`;
      const revokedKeys = await lockListedKeys(transaction, active);
      const revision = await revokeKeys(transaction, active);
      return { expiresAt, revision, revokedKeys };
    });
  }

  /**
   * Uses a reset up, and gives its account this sign-in if it has none. The operator who gave it out vouches
   * for the address. One statement, so that of several calls with one token only one succeeds.
   * @returns null: never given, used or expired; 'taken': the sign-in has another account, and the reset is
   *   not used up
   */
  async redeemReset(
    tokenHash: string,
    signInId: string,
  ): Promise<{ account: StoredAccount; signInId: string } | null | 'taken'> {
    let rows: unknown;
    try {
      rows = await this.#prisma.$queryRaw(redeemStatement(tokenHash, signInId));
    } catch (error) {
      if (isUniqueViolation(error)) return 'taken';
      throw error;
    }
    const [redeemed] = redeemedRows.parse(rows);
    if (redeemed === undefined) return null;
    const account = await this.#prisma.account.findUniqueOrThrow({ where: { id: redeemed.accountId } });
    return { account, signInId: redeemed.signInId };
  }

  /** Resets that have expired are of no use to anybody. */
  async pruneResets(): Promise<void> {
    await this.#prisma.$executeRaw`DELETE FROM password_resets WHERE expires_at <= now()`;
  }
}

function redeemStatement(tokenHash: string, signInId: string): Prisma.Sql {
  return Prisma.sql`
    WITH used AS (
      DELETE FROM password_resets WHERE token_hash = ${tokenHash} AND expires_at > now() RETURNING account_id
    )
    UPDATE accounts a SET sign_in_id = coalesce(a.sign_in_id, ${signInId}),
      email_verified_at = coalesce(a.email_verified_at, now())
    FROM used WHERE a.id = used.account_id
    RETURNING a.id AS "accountId", a.sign_in_id AS "signInId"`;
}
