import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { revokeKeys, UNEXPIRED } from '../data-planes/key-event-store.ts';
import { PrismaStore } from '../database/prisma-store.ts';
import { isUniqueViolation } from '../database/unique-violation.ts';
import { insertPool } from '../pools/pool-store.ts';
import type { StoredAccount } from './account-store.ts';
import { signupPoolOf } from './signup-pool.ts';

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
  /**
   * The revision at which the last key of the earlier sign-in, which had no proof, was revoked. Undefined
   * when it had no key.
   */
  revision: bigint | undefined;
}

/** Gives accounts to those who have proven their addresses. */
export class ProvenAddressStore extends PrismaStore {
  /**
   * Gives the account with this address to a sign-in that has proven the address, notes the proof, and pays
   * the money that the account gets for it. A sign-in that had the account without proof loses it, with
   * everything that it has given out.
   * @param email in the form in which it is stored
   * @param signupPool nano-USD, for an account that has waited for the proof
   * @returns null when no account has this address, or another sign-in has proven it
   */
  async claim(email: string, signInId: string, signupPool: bigint): Promise<ClaimedAccount | null> {
    try {
      return await this.prisma.$transaction(async (transaction) => {
        const [found] = lockedRows.parse(
          await transaction.$queryRaw`
            SELECT id, sign_in_id AS "signInId", email_verified_at IS NOT NULL AS "isVerified",
              signup_pool_due AS "signupPoolDue"
            FROM accounts WHERE email = ${email} FOR UPDATE`,
        );
        if (found === undefined) return null;
        const isOthers = found.signInId !== null && found.signInId !== signInId;
        if (isOthers && found.isVerified) return null;
        const revision = isOthers ? await takeFrom(transaction, found.id) : undefined;
        const pool = found.signupPoolDue ? signupPoolOf(found.id, signupPool) : undefined;
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
 * Takes an account away from a sign-in that never proved its address. The sessions and credentials of the
 * sign-in end, and the account's keys are revoked. Seats and invitations that it gave out end too, because
 * its teams spend the account's money.
 * @param transaction holds a lock on the account
 * @returns the revision of the last revoked key
 */
async function takeFrom(
  transaction: Prisma.TransactionClient,
  accountId: string,
): Promise<bigint | undefined> {
  await endSignIn(transaction, accountId);
  await endInvitations(transaction, accountId);
  await endGivenSeats(transaction, accountId);
  return await revokeKeys(transaction, Prisma.sql`${keysGivenOut(accountId)} AND ${UNEXPIRED}`);
}

function teamsOf(accountId: string): Prisma.Sql {
  return Prisma.sql`SELECT t.id FROM teams t WHERE t.owner_account_id = ${accountId}`;
}

/** A condition on api_keys: the keys of the account, and those on the seats of its teams. */
export function keysGivenOut(accountId: string): Prisma.Sql {
  return Prisma.sql`(
    account_id = ${accountId} OR seat_id IN (
      SELECT s.id FROM seats s WHERE s.team_id IN (${teamsOf(accountId)})
    )
  )`;
}

/**
 * Ends the open invitations to the account's teams. Call it before anything that ends seats: it waits for an
 * invitation that is being accepted at this moment, and so the new seat is found.
 * @param transaction holds a lock on the account
 */
export async function endInvitations(
  transaction: Prisma.TransactionClient,
  accountId: string,
): Promise<void> {
  await transaction.$executeRaw`DELETE FROM seat_invitations WHERE team_id IN (${teamsOf(accountId)})`;
}

/** Ends all seats in the account's teams except its own. @param transaction holds a lock on the account */
export async function endGivenSeats(transaction: Prisma.TransactionClient, accountId: string): Promise<void> {
  await transaction.$executeRaw`
    UPDATE seats SET removed_at = now()
    WHERE team_id IN (${teamsOf(accountId)}) AND account_id <> ${accountId} AND removed_at IS NULL`;
}

/**
 * Ends the account's sign-in: deletes the dashboard's user with its sessions and credentials.
 * @param transaction holds a lock on the account
 */
export async function endSignIn(transaction: Prisma.TransactionClient, accountId: string): Promise<void> {
  await transaction.$executeRaw`
    DELETE FROM dashboard_users u USING accounts a WHERE a.id = ${accountId} AND u.id = a.sign_in_id`;
}
