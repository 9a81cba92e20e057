import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { type ChangedKeys, revokeListedKeys } from '../data-planes/key-event-store.ts';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';
import { isUniqueViolation } from '../database/unique-violation.ts';
import type { StoredAccount } from './account-store.ts';
import { keysOfAccountAndTeams } from './keys-of-account-store.ts';
import { endInvitations, endInvitedMembers, endSeatsOfOthers, endSignIn } from './proven-address-store.ts';

const expiryRows = z.tuple([z.object({ expiresAt: z.date() })]);
const lockedRows = z.tuple([
  z.object({ email: z.string(), signInId: z.string().nullable(), isVerified: z.boolean() }),
]);
const redeemedRows = z.array(z.object({ accountId: z.string(), signInId: z.string() }));

interface NewPasswordReset {
  tokenHash: string;
  validHours: number;
  revokesKeys: boolean | undefined;
}

/** Stores which sign-in owns which account, and the password resets of operators. */
export class SignInStore extends PrismaStore {
  /**
   * Returns true if an identity provider has deactivated the person of a sign-in.
   * @param proven address that it has proven, as stored; undefined: none
   */
  async isStopped(signInId: string, proven: string | undefined): Promise<boolean> {
    const owned = proven === undefined ? [{ signInId }] : [{ signInId }, { email: proven }];
    const [accounts, users] = await Promise.all([
      this.prisma.account.count({ where: { stoppedBy: { not: null }, OR: owned } }),
      proven === undefined
        ? 0
        : this.prisma.scimUser.count({ where: { scope: '', email: proven, active: false } }),
    ]);
    return accounts + users > 0;
  }

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
    actor: Actor,
    accountId: string,
    { tokenHash, validHours, revokesKeys }: NewPasswordReset,
  ): Promise<{ expiresAt: Date; revision: bigint | undefined; revokedKeys: string[] }> {
    return await this.prisma.$transaction(async (transaction) => {
      const [{ email, signInId, isVerified }] = await queryRows(transaction, lockedRows)`
        SELECT email, sign_in_id AS "signInId", email_verified_at IS NOT NULL AS "isVerified"
        FROM accounts WHERE id = ${accountId} FOR UPDATE`;
      await endSignIn(transaction, accountId);
      await transaction.$executeRaw`UPDATE accounts SET sign_in_id = NULL WHERE id = ${accountId}`;
      const [{ expiresAt }] = await queryRows(transaction, expiryRows)`
        INSERT INTO password_resets (account_id, token_hash, expires_at)
        VALUES (${accountId}, ${tokenHash}, now() + make_interval(hours => ${validHours}::int))
        ON CONFLICT (account_id) DO UPDATE
          SET token_hash = EXCLUDED.token_hash, expires_at = EXCLUDED.expires_at
        RETURNING expires_at AS "expiresAt"`;
      const isRevoking = revokesKeys ?? signInId !== null;
      const ended = isRevoking ? await endAccess(transaction, accountId, isVerified) : NOTHING_ENDED;
      await recordChange(transaction, actor, {
        action: 'password_reset.issued',
        object: { type: 'account', id: accountId, name: email },
        accountId,
        before: null,
        after: {
          expires_at: expiresAt.toISOString(),
          revoked_key_ids: ended.keyIds,
          removed_seat_ids: ended.seatIds,
          removed_member_ids: ended.memberIds,
        },
      });
      return { expiresAt, revision: ended.revision, revokedKeys: ended.keyIds };
    });
  }

  /**
   * Redeems a reset with one statement, so that one of several calls succeeds. The issuing operator vouches
   * for the address.
   * @returns null: unknown, used or expired; 'taken': the sign-in has another account, and the reset stays
   *   valid
   */
  async redeemReset(
    actor: Actor,
    tokenHash: string,
    signInId: string,
  ): Promise<{ account: StoredAccount; signInId: string } | null | 'taken'> {
    try {
      return await this.prisma.$transaction(async (transaction) => {
        const rows = await transaction.$queryRaw(redeemStatement(tokenHash, signInId));
        const [redeemed] = redeemedRows.parse(rows);
        if (redeemed === undefined) return null;
        const account = await transaction.account.findUniqueOrThrow({ where: { id: redeemed.accountId } });
        await recordChange(transaction, actor, {
          action: 'password_reset.redeemed',
          object: { type: 'account', id: account.id, name: account.email },
          accountId: account.id,
          before: null,
          after: { sign_in_id: redeemed.signInId, email_verified: true },
        });
        return { account, signInId: redeemed.signInId };
      });
    } catch (error) {
      if (isUniqueViolation(error)) return 'taken';
      throw error;
    }
  }

  async prune(): Promise<void> {
    await this.prisma.$executeRaw`DELETE FROM password_resets WHERE expires_at <= now()`;
  }
}

interface Ended extends ChangedKeys {
  seatIds: string[];
  memberIds: string[];
}

const NOTHING_ENDED: Ended = { keyIds: [], revision: undefined, seatIds: [], memberIds: [] };

/** Ends what the account gave out in wrong hands: keys, invitations and seats that are not trusted. */
async function endAccess(transaction: Transaction, accountId: string, isVerified: boolean): Promise<Ended> {
  await endInvitations(transaction, accountId);
  // Without proof of the address, seats and memberships are not trusted; with it, people use them.
  const seatIds = isVerified ? [] : await endSeatsOfOthers(transaction, accountId);
  const memberIds = isVerified ? [] : await endInvitedMembers(transaction, accountId);
  const theirs = isVerified ? Prisma.sql`account_id = ${accountId}` : keysOfAccountAndTeams(accountId);
  return { ...(await revokeListedKeys(transaction, theirs)), seatIds, memberIds };
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
