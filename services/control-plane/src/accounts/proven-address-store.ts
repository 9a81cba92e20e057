import { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { revokeListedKeys } from '../data-planes/key-event-store.ts';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';
import { isUniqueViolation } from '../database/unique-violation.ts';
import { poolChange } from '../pools/pool-change.ts';
import { insertPool } from '../pools/pool-store.ts';
import { accountChange } from './account-change.ts';
import type { StoredAccount } from './account-store.ts';
import { keysOfAccountAndTeams, teamsOf } from './keys-of-account-store.ts';
import { newSignupPool, type SignupPool } from './signup-pool.ts';

const idRows = z.array(z.object({ id: z.string() }));

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
  async claim(
    actor: Actor,
    email: string,
    signInId: string,
    signupPool: SignupPool,
  ): Promise<ClaimedAccount | null> {
    try {
      return await this.prisma.$transaction(async (transaction) => {
        await transaction.$executeRaw`SELECT FROM accounts WHERE email = ${email} FOR UPDATE`;
        const before = await transaction.account.findUnique({ where: { email } });
        if (before === null) return null;
        const { id } = before;
        const isOthers = before.signInId !== null && before.signInId !== signInId;
        if (isOthers && before.emailVerifiedAt !== null) return null;
        const taken = isOthers ? await takeFromSignIn(transaction, id) : undefined;
        const pool = before.signupPoolDue ? newSignupPool(id, signupPool) : undefined;
        const pools = pool === undefined ? [] : [await insertPool(transaction, pool)];
        await transaction.$executeRaw`
          UPDATE accounts SET sign_in_id = ${signInId}, signup_pool_due = false,
            email_verified_at = coalesce(email_verified_at, now())
          WHERE id = ${id}`;
        const account = await transaction.account.findUniqueOrThrow({ where: { id } });
        const claimed = accountChange('account.claimed', before, account, {
          sign_in_id: signInId,
          ...taken?.ids,
        });
        await recordChange(
          transaction,
          actor,
          { ...claimed, before: { ...claimed.before, sign_in_id: before.signInId } },
          ...pools.map((first) => poolChange('pool.created', id, null, first)),
        );
        return { account, revision: taken?.revision };
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
 * @returns the revision of the last revoked key, and ids for the audit event
 */
export async function takeFromSignIn(
  transaction: Transaction,
  accountId: string,
): Promise<{ revision: bigint | undefined; ids: object }> {
  await endSignIn(transaction, accountId);
  await endInvitations(transaction, accountId);
  const seatIds = await endSeatsOfOthers(transaction, accountId);
  const memberIds = await endInvitedMembers(transaction, accountId);
  const { keyIds, revision } = await revokeListedKeys(transaction, keysOfAccountAndTeams(accountId));
  return {
    revision,
    ids: { revoked_key_ids: keyIds, removed_seat_ids: seatIds, removed_member_ids: memberIds },
  };
}

/**
 * Ends open invitations to teams and to the account. Call before ending seats: it waits for an acceptance in
 * progress, so the new seat is found.
 * @param transaction holds a lock on the account
 */
export async function endInvitations(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.$executeRaw`DELETE FROM seat_invitations WHERE team_id IN (${teamsOf(accountId)})`;
  await transaction.$executeRaw`
    DELETE FROM account_members WHERE account_id = ${accountId} AND token_hash IS NOT NULL`;
}

/**
 * Removes the members whom the account invited. Those that an operator or an identity provider added stay.
 * @param transaction holds a lock on the account
 * @returns their ids
 */
export async function endInvitedMembers(transaction: Transaction, accountId: string): Promise<string[]> {
  const rows = await queryRows(transaction, idRows)`
    DELETE FROM account_members WHERE account_id = ${accountId} AND source = 'invitation' RETURNING id`;
  return rows.map(({ id }) => id);
}

/**
 * Ends all seats in the account's teams except its own.
 * @param transaction holds a lock on the account
 * @returns their ids
 */
export async function endSeatsOfOthers(transaction: Transaction, accountId: string): Promise<string[]> {
  const rows = await queryRows(transaction, idRows)`
    UPDATE seats SET removed_at = now()
    WHERE team_id IN (${teamsOf(accountId)}) AND account_id <> ${accountId} AND removed_at IS NULL
    RETURNING id`;
  return rows.map(({ id }) => id);
}

/** Deletes the dashboard's user with its sessions. @param transaction holds a lock on the account */
export async function endSignIn(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.$executeRaw`
    DELETE FROM dashboard_users u USING accounts a WHERE a.id = ${accountId} AND u.id = a.sign_in_id`;
}
