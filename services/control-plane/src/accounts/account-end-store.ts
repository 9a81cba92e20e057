import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import { type RecordedChange, recordChange } from '../audit/record-change.ts';
import { destroyContentsKey } from '../contents/contents-setting-store.ts';
import {
  type ChangedKeys,
  lastChanged,
  restoreKeys,
  revokeListedKeys,
  suspendKeys,
} from '../data-planes/key-event-store.ts';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';
import { failedPrecondition, notFound } from '../errors/control-plane-error.ts';
import { deleteEventsOf, deleteWebhooksOf, forgetAccountInEvents } from '../events/forget-account-store.ts';
import { seatRemovals } from '../seats/removed-seats-store.ts';
import { accountChange } from './account-change.ts';
import type { StoredAccount } from './account-store.ts';
import { keysOfAccountAndTeams, teamsOf } from './keys-of-account-store.ts';
import { endInvitations, endSignIn } from './proven-address-store.ts';

const idRows = z.array(z.object({ id: z.string() }));
const seatRows = z.array(z.object({ id: z.string(), isInOthersTeam: z.boolean() }));
const purgeRows = z.tuple([z.object({ requests: z.bigint().nullable() })]);

/** A changed account, and which of its keys and of the keys on its teams' seats changed with it. */
export interface ChangedAccount extends ChangedKeys {
  account: StoredAccount;
}

export interface DeletedAccount extends ChangedAccount {
  teamIds: string[];
  seatIds: string[];
}

const DELETED_NAME = 'Deleted account';

export class AccountEndStore extends PrismaStore {
  /**
   * Stops the account's keys and those on its teams' seats, which spend its money too, and ends its sessions.
   * @throws ControlPlaneError failed_precondition (deleted account)
   */
  async suspend(actor: Actor, id: string): Promise<ChangedAccount> {
    const stopped = await this.prisma.$transaction(async (transaction) => {
      const before = await lockUndeleted(transaction, id);
      await transaction.$executeRaw`
        UPDATE accounts SET suspended_at = coalesce(suspended_at, now()) WHERE id = ${id}`;
      const account = await find(transaction, id);
      const which = keysOfAccountAndTeams(id);
      const revision = await suspendKeys(transaction, which);
      const changed = await lastChanged(transaction, 'revoked', which, account.suspendedAt);
      const isRepeated = before.suspendedAt !== null && revision === undefined;
      const keys = isRepeated ? {} : { stopped_key_ids: changed.keyIds };
      await recordChange(transaction, actor, accountChange('account.suspended', before, account, keys));
      return { account, ...changed };
    });
    // After the commit: a sign-in at the same moment either has its session deleted here or sees the
    // suspension.
    await this.prisma.$executeRaw`
      DELETE FROM dashboard_sessions s USING accounts a WHERE a.id = ${id} AND s.user_id = a.sign_in_id`;
    return stopped;
  }

  /**
   * Restores the stopped keys, except those whose holder or payer is another suspended account, and those
   * that something else has stopped. Lets the owner sign in again whom an identity provider has deleted.
   * @throws ControlPlaneError failed_precondition (deleted account)
   */
  async resume(actor: Actor, id: string): Promise<ChangedAccount> {
    return await this.prisma.$transaction(async (transaction) => {
      const before = await lockUndeleted(transaction, id);
      await transaction.$executeRaw`
        UPDATE accounts SET suspended_at = NULL, owner_removed = false, stopped_by = (
          SELECT accounts.stopped_by FROM scim_users u
          WHERE u.account_id = accounts.id AND u.member_id IS NULL AND NOT u.active LIMIT 1
        ) WHERE id = ${id}`;
      const which = Prisma.sql`${keysOfAccountAndTeams(id)} AND ${NOBODY_SUSPENDED} AND stopped_by IS NULL`;
      const revision = await restoreKeys(transaction, which);
      const account = await find(transaction, id);
      const changed = await lastChanged(transaction, 'restored', which);
      const isRepeated = before.suspendedAt === null && revision === undefined;
      const keys = isRepeated ? {} : { restored_key_ids: changed.keyIds };
      await recordChange(transaction, actor, accountChange('account.resumed', before, account, keys));
      return { account, ...changed };
    });
  }

  /** @returns the id of the account with this address if it has made-up usage */
  async findDemo(email: string): Promise<string | undefined> {
    const [found] = await this.query(idRows)`
      SELECT a.id FROM accounts a WHERE a.email = ${email}
        AND EXISTS (SELECT FROM api_keys k WHERE k.account_id = a.id AND k.kind = 'demo')`;
    return found?.id;
  }

  /**
   * Deletes an account with all its data (purge_account). If it has seats in teams of others, these seats and
   * the account stay, as after `delete`.
   * @returns deleted usage records; null: requests still hold money, and nothing was deleted
   */
  async purge(actor: Actor, id: string): Promise<bigint | null> {
    const { isLeft, requests } = await this.prisma.$transaction(async (transaction) => {
      const before = await find(transaction, id);
      const [{ requests }] = await queryRows(transaction, purgeRows)`SELECT purge_account(${id}) AS requests`;
      if (requests === null) return { requests, isLeft: false };
      await transaction.accountMember.deleteMany({ where: { accountId: id } });
      await deleteWebhooksOf(transaction, id);
      await deleteEventsOf(transaction, id);
      const left = await transaction.account.findUnique({ where: { id } });
      const change = accountChange('account.purged', before, before, { deleted_requests: String(requests) });
      await recordChange(transaction, actor, left === null ? { ...change, after: null } : change);
      return { requests, isLeft: left !== null };
    });
    if (isLeft) await this.delete(actor, id);
    return requests;
  }

  /**
   * Deletes an account for good: keys, teams, seats, sign-in and open invitations. Its name and address
   * become placeholders. Accounts in whose teams it had seats get an event for each. A repeated call returns
   * the same result.
   */
  async delete(actor: Actor, id: string): Promise<DeletedAccount> {
    return await this.prisma.$transaction(async (transaction) => {
      const before = await lockAccountAlone(transaction, id);
      const isRepeated = before.deletedAt !== null;
      const removals = isRepeated ? [] : await deleteAll(transaction, id, before.email);
      await deleteWebhooksOf(transaction, id);
      await forgetAccountInEvents(transaction, id);
      const account = await find(transaction, id);
      const ended = await findEnded(transaction, account);
      const ids = {
        revoked_key_ids: ended.keyIds,
        deleted_team_ids: ended.teamIds,
        removed_seat_ids: ended.seatIds,
      };
      const change = accountChange('account.deleted', before, account, isRepeated ? {} : ids);
      await recordChange(transaction, actor, change, ...removals);
      return { account, ...ended };
    });
  }
}

/** Finds the ids of teams, seats and keys that ended with a deleted account. */
async function findEnded(
  transaction: Transaction,
  { deletedAt, id }: StoredAccount,
): Promise<Omit<DeletedAccount, 'account'>> {
  // All of this happened in one transaction, so every row has the same time.
  const teams = { ownerAccountId: id, deletedAt };
  const seats = { removedAt: deletedAt, OR: [{ accountId: id }, { team: { ownerAccountId: id } }] };
  return {
    ...(await lastChanged(transaction, 'revoked', keysOfAccountAndTeams(id), deletedAt)),
    teamIds: idsOf(await transaction.team.findMany({ where: teams, orderBy: BY_AGE })),
    seatIds: idsOf(await transaction.seat.findMany({ where: seats, orderBy: BY_AGE })),
  };
}

const BY_AGE = [{ createdAt: 'asc' }, { id: 'asc' }] satisfies Prisma.SeatOrderByWithRelationInput[];

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}

/**
 * @param email the account's address before the deletion
 * @returns changes of its seats in teams of other accounts
 */
async function deleteAll(transaction: Transaction, id: string, email: string): Promise<RecordedChange[]> {
  await endSignIn(transaction, id);
  await transaction.passwordReset.deleteMany({ where: { accountId: id } });
  await destroyContentsKey(transaction, id);
  await deleteRules(transaction, id);
  await transaction.$executeRaw`DELETE FROM scim_users WHERE account_id = ${id}`;
  await endInvitations(transaction, id);
  await transaction.accountMember.deleteMany({ where: { accountId: id } });
  await transaction.seatInvitation.deleteMany({ where: { email } });
  const seats = await queryRows(transaction, seatRows)`
    UPDATE seats SET removed_at = now() WHERE removed_at IS NULL AND (
      account_id = ${id} OR team_id IN (${teamsOf(id)})
    ) RETURNING id, team_id NOT IN (${teamsOf(id)}) AS "isInOthersTeam"`;
  await transaction.$executeRaw`
    UPDATE teams SET deleted_at = now() WHERE owner_account_id = ${id} AND deleted_at IS NULL`;
  const { keyIds } = await revokeListedKeys(transaction, keysOfAccountAndTeams(id));
  const removals = await seatRemovals(
    transaction,
    idsOf(seats.filter(({ isInOthersTeam }) => isInOthersTeam)),
    keyIds,
  );
  // This text is not a valid address, so nobody can sign up with it or prove that it is theirs.
  await transaction.$executeRaw`
    UPDATE accounts SET email = ${`deleted:${id.toLowerCase()}`}, name = ${DELETED_NAME}, sign_in_id = NULL,
      email_verified_at = NULL, signup_pool_due = false, suspended_at = NULL, stopped_by = NULL,
      price_list_id = NULL, deleted_at = now()
    WHERE id = ${id}`;
  return removals;
}

/** Deletes the rules of the account and its end users. Those of keys, teams and seats stay, as these do. */
async function deleteRules(transaction: Transaction, id: string): Promise<void> {
  const isOwn = Prisma.sql`
    owner IN ('account:' || ${id}, 'end_users:' || ${id}) OR starts_with(owner, 'end_user:' || ${id} || '/')`;
  await transaction.$executeRaw`DELETE FROM rules WHERE ${isOwn}`;
  await transaction.$executeRaw`DELETE FROM budgets WHERE ${isOwn}`;
  await transaction.endUser.deleteMany({ where: { accountId: id } });
}

/** Matches api_keys whose holder and team owner are both not suspended. */
export const NOBODY_SUSPENDED = Prisma.sql`
  NOT EXISTS (SELECT FROM accounts a WHERE a.id = api_keys.account_id AND a.suspended_at IS NOT NULL)
  AND NOT EXISTS (
    SELECT FROM seats s JOIN teams t ON t.id = s.team_id JOIN accounts o ON o.id = t.owner_account_id
    WHERE s.id = api_keys.seat_id AND o.suspended_at IS NOT NULL
  )`;

/**
 * Serializes suspensions, because a key may depend on two accounts, and locks the account so that no key is
 * issued to it or on its teams' seats meanwhile.
 */
export async function lockAccountAlone(transaction: Transaction, id: string): Promise<StoredAccount> {
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('suspended accounts'))`;
  await transaction.$executeRaw`SELECT FROM accounts WHERE id = ${id} FOR UPDATE`;
  const account = await transaction.account.findUnique({ where: { id } });
  if (account === null) throw notFound(`there is no account ${id}`);
  return account;
}

/** @throws ControlPlaneError not_found, failed_precondition (the account is deleted) */
async function lockUndeleted(transaction: Transaction, id: string): Promise<StoredAccount> {
  const account = await lockAccountAlone(transaction, id);
  if (account.deletedAt !== null) throw failedPrecondition(`the account ${id} is deleted`);
  return account;
}

async function find(transaction: Transaction, id: string): Promise<StoredAccount> {
  return await transaction.account.findUniqueOrThrow({ where: { id } });
}
