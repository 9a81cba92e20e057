import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { revokeKeys, UNEXPIRED } from '../data-planes/key-event-store.ts';
import { PrismaStore, queryRows } from '../database/prisma-store.ts';
import { isUniqueViolation } from '../database/unique-violation.ts';
import { insertPool } from '../pools/pool-store.ts';
import type { StoredAccount } from './account-store.ts';
import { keysOfAccountAndTeams, teamsOf } from './keys-of-account-store.ts';
import { newSignupPool, type SignupPool } from './signup-pool.ts';

const lockedRows = z.array(
  z.object({
    id: z.string(),
    signInId: z.string().nullable(),
    isVerified: z.boolean(),
    signupPoolDue: z.boolean(),
  }),
);

export interface ClaimedAccount {
  account: StoredAccount;
  /** Revision of the last revoked key of the earlier, unproven sign-in; undefined when it had none. */
  revision: bigint | undefined;
}

export class ProvenAddressStore extends PrismaStore {
  /**
   * Gives the account with this address to the sign-in that proved it, and pays out its included money. An
   * earlier unproven sign-in loses the account and everything it gave out.
   * @param email as stored
   * @returns null when there is no such account, or another sign-in has proven the address
   */
  async claim(email: string, signInId: string, signupPool: SignupPool): Promise<ClaimedAccount | null> {
    try {
      return await this.prisma.$transaction(async (transaction) => {
        const [found] = await queryRows(transaction, lockedRows)`
          SELECT id, sign_in_id AS "signInId", email_verified_at IS NOT NULL AS "isVerified",
            signup_pool_due AS "signupPoolDue"
          FROM accounts WHERE email = ${email} FOR UPDATE`;
        if (found === undefined) return null;
        const isOthers = found.signInId !== null && found.signInId !== signInId;
        if (isOthers && found.isVerified) return null;
        const revision = isOthers ? await takeFromSignIn(transaction, found.id) : undefined;
        const pool = found.signupPoolDue ? newSignupPool(found.id, signupPool) : undefined;
        if (pool !== undefined) await insertPool(transaction, pool);
        await transaction.$executeRaw`
          UPDATE accounts SET sign_in_id = ${signInId}, signup_pool_due = false,
            email_verified_at = coalesce(email_verified_at, now())
          WHERE id = ${found.id}`;
        const account = await transaction.account.findUniqueOrThrow({ where: { id: found.id } });
        return { account, revision };
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      // Meanwhile the sign-in got another account.
      const account = await this.prisma.account.findUnique({ where: { signInId } });
      return account === null ? null : { account, revision: undefined };
    }
  }
}

/**
 * Takes an account from a sign-in that never proved its address: ends its sessions, credentials, seats,
 * invitations and the members it invited, and revokes its keys.
 * @param transaction holds a lock on the account
 * @returns the revision of the last revoked key
 */
async function takeFromSignIn(
  transaction: Prisma.TransactionClient,
  accountId: string,
): Promise<bigint | undefined> {
  await endSignIn(transaction, accountId);
  await endInvitations(transaction, accountId);
  await endSeatsOfOthers(transaction, accountId);
  await endInvitedMembers(transaction, accountId);
  return await revokeKeys(transaction, Prisma.sql`${keysOfAccountAndTeams(accountId)} AND ${UNEXPIRED}`);
}

/**
 * Ends open invitations to teams and to the account. Call before ending seats: it waits for an acceptance in
 * progress, so the new seat is found.
 * @param transaction holds a lock on the account
 */
export async function endInvitations(
  transaction: Prisma.TransactionClient,
  accountId: string,
): Promise<void> {
  await transaction.$executeRaw`DELETE FROM seat_invitations WHERE team_id IN (${teamsOf(accountId)})`;
  await transaction.$executeRaw`
    DELETE FROM account_members WHERE account_id = ${accountId} AND token_hash IS NOT NULL`;
}

/**
 * Removes the members whom the account invited. Those that an operator or an identity provider added stay.
 * @param transaction holds a lock on the account
 */
export async function endInvitedMembers(
  transaction: Prisma.TransactionClient,
  accountId: string,
): Promise<void> {
  await transaction.$executeRaw`
    DELETE FROM account_members WHERE account_id = ${accountId} AND source = 'invitation'`;
}

/** Ends all seats in the account's teams except its own. @param transaction holds a lock on the account */
export async function endSeatsOfOthers(
  transaction: Prisma.TransactionClient,
  accountId: string,
): Promise<void> {
  await transaction.$executeRaw`
    UPDATE seats SET removed_at = now()
    WHERE team_id IN (${teamsOf(accountId)}) AND account_id <> ${accountId} AND removed_at IS NULL`;
}

/** Deletes the dashboard's user with its sessions. @param transaction holds a lock on the account */
export async function endSignIn(transaction: Prisma.TransactionClient, accountId: string): Promise<void> {
  await transaction.$executeRaw`
    DELETE FROM dashboard_users u USING accounts a WHERE a.id = ${accountId} AND u.id = a.sign_in_id`;
}
