import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { lockListedKeys, REVOCABLE, revokeKeys, UNEXPIRED } from '../data-planes/key-event-store.ts';
import { PrismaStore, queryRows } from '../database/prisma-store.ts';
import { isUniqueViolation } from '../database/unique-violation.ts';
import type { StoredAccount } from './account-store.ts';
import { keysOfAccountAndTeams } from './keys-of-account-store.ts';
import { endInvitations, endInvitedMembers, endSeatsOfOthers, endSignIn } from './proven-address-store.ts';

const expiryRows = z.tuple([z.object({ expiresAt: z.date() })]);
const lockedRows = z.tuple([z.object({ signInId: z.string().nullable(), isVerified: z.boolean() })]);
const redeemedRows = z.array(z.object({ accountId: z.string(), signInId: z.string() }));

interface NewPasswordReset {
  tokenHash: string;
  validHours: number;
  revokesKeys: boolean | undefined;
}

/** Stores which sign-in owns which account, and the password resets of operators. */
export class SignInStore extends PrismaStore {
  async accountOf(signInId: string): Promise<StoredAccount | null> {
    return await this.prisma.account.findUnique({ where: { signInId } });
  }

  /**
   * Takes the account from its sign-in and replaces its earlier reset. Revokes keys, ends invitations, and
   * ends given seats and memberships where the address is unproven.
   * @param tokenHash lower-case hex SHA-256
   * @param revokesKeys undefined: revoke if somebody has signed in and could have made them
   */
  async issueReset(
    accountId: string,
    { tokenHash, validHours, revokesKeys }: NewPasswordReset,
  ): Promise<{ expiresAt: Date; revision: bigint | undefined; revokedKeys: string[] }> {
    return await this.prisma.$transaction(async (transaction) => {
      const [{ signInId, isVerified }] = await queryRows(transaction, lockedRows)`
        SELECT sign_in_id AS "signInId", email_verified_at IS NOT NULL AS "isVerified"
        FROM accounts WHERE id = ${accountId} FOR UPDATE`;
      await endSignIn(transaction, accountId);
      await transaction.$executeRaw`UPDATE accounts SET sign_in_id = NULL WHERE id = ${accountId}`;
      const [{ expiresAt }] = await queryRows(transaction, expiryRows)`
        INSERT INTO password_resets (account_id, token_hash, expires_at)
        VALUES (${accountId}, ${tokenHash}, now() + make_interval(hours => ${validHours}::int))
        ON CONFLICT (account_id) DO UPDATE
          SET token_hash = EXCLUDED.token_hash, expires_at = EXCLUDED.expires_at
        RETURNING expires_at AS "expiresAt"`;
      if (!(revokesKeys ?? signInId !== null)) return { expiresAt, revision: undefined, revokedKeys: [] };
      await endInvitations(transaction, accountId);
      // Seats and memberships given out without proof of the address are not trusted; with proof, people work
      // with them.
      if (!isVerified) {
        await endSeatsOfOthers(transaction, accountId);
        await endInvitedMembers(transaction, accountId);
      }
      const theirs = isVerified ? Prisma.sql`account_id = ${accountId}` : keysOfAccountAndTeams(accountId);
      const active = Prisma.sql`${theirs} AND ${REVOCABLE} AND ${UNEXPIRED}`;
      const revokedKeys = await lockListedKeys(transaction, active);
      const revision = await revokeKeys(transaction, active);
      return { expiresAt, revision, revokedKeys };
    });
  }

  /**
   * Redeems a reset in one statement, so that one of several calls succeeds. The issuing operator vouches for
   * the address.
   * @returns null: unknown, used or expired; 'taken': the sign-in has another account, and the reset stays
   *   valid
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

  async prune(): Promise<void> {
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
