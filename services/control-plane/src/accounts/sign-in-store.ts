import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { lockListedKeys, REVOCABLE, revokeKeys, UNEXPIRED } from '../data-planes/key-event-store.ts';
import { PrismaStore } from '../database/prisma-store.ts';
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

/**
 * Knows which sign-in of the dashboard owns which account, and which password resets operators have issued.
 */
export class SignInStore extends PrismaStore {
  async accountOf(signInId: string): Promise<StoredAccount | null> {
    return await this.prisma.account.findUnique({ where: { signInId } });
  }

  /**
   * Takes the account back from whoever has signed in to it, and replaces its earlier reset. Until the new
   * reset is used, only somebody who proves the account's address can sign in to it. Its keys are revoked,
   * the invitations that it gave out end, and where its address is not proven, the seats that it gave out end
   * too.
   * @param tokenHash lower-case hex SHA-256 of the token
   * @param revokesKeys undefined: revoke the keys if somebody has signed in to the account, and so could have
   *   made them
   */
  async offerReset(
    accountId: string,
    { tokenHash, validHours, revokesKeys }: NewReset,
  ): Promise<{ expiresAt: Date; revision: bigint | undefined; revokedKeys: string[] }> {
    return await this.prisma.$transaction(async (transaction) => {
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
      // Seats are not trusted when somebody gave them out without proof of the address. Where the address is
      // proven they stay, because people work on them.
      if (!isVerified) await endGivenSeats(transaction, accountId);
      const theirs = isVerified ? Prisma.sql`account_id = ${accountId}` : keysGivenOut(accountId);
      const active = Prisma.sql`${theirs} AND ${REVOCABLE} AND ${UNEXPIRED}`;
      const revokedKeys = await lockListedKeys(transaction, active);
      const revision = await revokeKeys(transaction, active);
      return { expiresAt, revision, revokedKeys };
    });
  }

  /**
   * Redeems a reset, and gives its account to this sign-in if the account has none. The operator who issued
   * the reset vouches for the address. It is one statement, so that only one of several calls with the same
   * token succeeds.
   * @returns null: never issued, used or expired; 'taken': the sign-in has another account, and the reset can
   *   still be used
   */
  async redeemReset(
    tokenHash: string,
    signInId: string,
  ): Promise<{ account: StoredAccount; signInId: string } | null | 'taken'> {
    let rows: unknown;
    try {
      rows = await this.prisma.$queryRaw(redeemStatement(tokenHash, signInId));
    } catch (error) {
      if (isUniqueViolation(error)) return 'taken';
      throw error;
    }
    const [redeemed] = redeemedRows.parse(rows);
    if (redeemed === undefined) return null;
    const account = await this.prisma.account.findUniqueOrThrow({ where: { id: redeemed.accountId } });
    return { account, signInId: redeemed.signInId };
  }

  /** Deletes expired resets. */
  async pruneResets(): Promise<void> {
    await this.prisma.$executeRaw`DELETE FROM password_resets WHERE expires_at <= now()`;
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
