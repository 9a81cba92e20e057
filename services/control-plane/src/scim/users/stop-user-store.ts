import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { NOBODY_SUSPENDED } from '../../accounts/account-end-store.ts';
import type { RecordedChange } from '../../audit/record-change.ts';
import {
  lastChanged,
  REVOCABLE,
  restoreKeys,
  revokeListedKeys,
  suspendKeys,
  UNEXPIRED,
} from '../../data-planes/key-event-store.ts';
import { queryRows, type Transaction } from '../../database/prisma-store.ts';
import { withdrawInvitationsBy } from '../../members/withdraw-invitations-store.ts';
import type { StoredUser } from './stored-user.ts';

const idRows = z.array(z.object({ id: z.string() }));

/** Marks the keys, members and accounts that an identity provider stopped. */
export const SCIM = 'scim';

type Person = Pick<StoredUser, 'accountId' | 'memberId' | 'email'> & {
  /** True if the identity provider provisions the installation, not the members of one account. */
  isInstallationWide: boolean;
};

export interface StoppedOrRestored {
  /** Changed keys, without playground keys, oldest first. */
  keyIds: string[];
  /** Key revision of the last change; undefined: no data plane needs to know. */
  revision: bigint | undefined;
}

/**
 * Stops a person: its keys, its sessions and its sign-in.
 * @param transaction holds the lock of lockAccountAlone on the account
 */
export async function stopPerson(transaction: Transaction, person: Person): Promise<StoppedOrRestored> {
  const { memberId } = person;
  if (memberId === null) {
    // A key that is being made keeps these locked: wait for it before its keys are read.
    await transaction.$executeRaw`SELECT FROM accounts WHERE ${isOwnAccount(person)} ORDER BY id FOR UPDATE`;
    await transaction.$executeRaw`UPDATE accounts SET stopped_by = ${SCIM} WHERE ${isOwnAccount(person)}`;
  } else {
    await transaction.$executeRaw`
      UPDATE account_members SET stopped_at = now(), stopped_by = ${SCIM}
      WHERE id = ${memberId} AND stopped_at IS NULL`;
  }
  await endSessions(transaction, person);
  const which = keysOf(person);
  const keyIds = await lockKeyIds(transaction, Prisma.sql`${which} AND revoked_at IS NULL AND ${UNEXPIRED}`);
  // Marks keys of a suspended account as well, so that resuming the account does not restore them.
  await transaction.$executeRaw`
    UPDATE api_keys SET stopped_by = ${SCIM}
    WHERE ${which} AND ${REVOCABLE} AND stopped_by IS NULL AND kind <> 'playground'`;
  await suspendKeys(transaction, which);
  return { keyIds, revision: (await lastChanged(transaction, 'revoked', which)).revision };
}

/**
 * Lets a person sign in again, unless another identity provider has deactivated the person, or that of the
 * installation has deleted them. Restores the keys that stopPerson stopped, except those that were revoked
 * meanwhile or that something else stops, such as a suspended account.
 * @param transaction holds the lock of lockAccountAlone on the account; scim_users says already that it is
 *   active
 */
export async function restorePerson(transaction: Transaction, person: Person): Promise<StoppedOrRestored> {
  const { memberId } = person;
  if (memberId === null) {
    await transaction.$executeRaw`
      UPDATE accounts SET stopped_by = NULL, owner_removed = false
      WHERE ${isOwnAccount(person)} AND stopped_by = ${SCIM}
        AND (${person.isInstallationWide} OR NOT owner_removed)
        AND NOT EXISTS (
          SELECT FROM scim_users u WHERE u.account_id = accounts.id AND u.member_id IS NULL AND NOT u.active
        )`;
  } else {
    await transaction.$executeRaw`
      UPDATE account_members SET stopped_at = NULL, stopped_by = NULL
      WHERE id = ${memberId} AND stopped_by = ${SCIM}`;
  }
  const theirs =
    memberId === null
      ? Prisma.sql`(account_id IN (${ownAccounts(person)}) OR ${keysElsewhere(person)})`
      : Prisma.sql`member_id = ${memberId}`;
  const which = Prisma.sql`${theirs} AND stopped_by = ${SCIM} AND ${NOBODY_STOPPED}`;
  const restorable = Prisma.sql`${which} AND ${NOBODY_SUSPENDED}`;
  const keyIds = await lockKeyIds(transaction, Prisma.sql`${restorable} AND suspended_at IS NOT NULL`);
  const revision = await restoreKeys(transaction, restorable);
  await transaction.$executeRaw`UPDATE api_keys SET stopped_by = NULL WHERE ${which}`;
  return { keyIds, revision };
}

/**
 * Revokes the keys of a person for good, and ends its sessions and its sign-in.
 * @param transaction holds the lock of lockAccountAlone on the account
 */
export async function removePerson(transaction: Transaction, person: Person): Promise<StoppedOrRestored> {
  await stopPerson(transaction, person);
  if (person.isInstallationWide)
    await transaction.$executeRaw`UPDATE accounts SET owner_removed = true WHERE ${isOwnAccount(person)}`;
  return await revokeListedKeys(transaction, keysOf(person));
}

/**
 * Ends the sessions of a person. A member who owns an account keeps its session there: the other account
 * refuses it with the next request. Call it again after the commit, for sign-ins of the same moment.
 */
export async function endSessions(
  database: Pick<Transaction, '$executeRaw'>,
  { accountId, email, isInstallationWide, memberId }: Person,
): Promise<void> {
  if (memberId === null) {
    await database.$executeRaw`
      DELETE FROM dashboard_sessions s USING dashboard_users d WHERE d.id = s.user_id AND (
        d.id = (SELECT a.sign_in_id FROM accounts a WHERE a.id = ${accountId})
        OR (${isInstallationWide} AND d.email = ${email} AND d.email_verified)
      )`;
    return;
  }
  await database.$executeRaw`
    DELETE FROM dashboard_sessions s USING account_members m
    WHERE m.id = ${memberId} AND s.user_id = m.sign_in_id
      AND NOT EXISTS (SELECT FROM accounts a WHERE a.sign_in_id = m.sign_in_id)`;
}

/**
 * Matches api_keys of a person: those that a member made; of an owner those that no member made, or all of
 * the account while it is the only member, and those that it made as a member of other accounts.
 */
function keysOf(person: Person): Prisma.Sql {
  const { memberId } = person;
  if (memberId !== null) return Prisma.sql`member_id = ${memberId}`;
  return Prisma.sql`(
    account_id IN (${ownAccounts(person)}) AND (member_id IS NULL OR NOT EXISTS (
      SELECT FROM account_members m WHERE m.account_id = api_keys.account_id AND m.token_hash IS NULL
    ))
    OR ${keysElsewhere(person)}
  )`;
}

/** Matches the account of a person, and that of its address if the address has changed. */
function isOwnAccount({ accountId, email, isInstallationWide }: Person): Prisma.Sql {
  return Prisma.sql`(accounts.id = ${accountId} OR (${isInstallationWide} AND accounts.email = ${email}))`;
}

function ownAccounts(person: Person): Prisma.Sql {
  return Prisma.sql`SELECT accounts.id FROM accounts WHERE ${isOwnAccount(person)}`;
}

/** Withdraws the open invitations that a person made as a member. @returns an event for each */
export async function withdrawInvitationsOf(
  transaction: Transaction,
  { email, isInstallationWide, memberId }: Person,
): Promise<RecordedChange[]> {
  if (memberId !== null) return await withdrawInvitationsBy(transaction, Prisma.sql`maker.id = ${memberId}`);
  if (!isInstallationWide) return [];
  return await withdrawInvitationsBy(transaction, Prisma.sql`maker.email = ${email}`);
}

function keysElsewhere({ email, isInstallationWide }: Person): Prisma.Sql {
  if (!isInstallationWide) return Prisma.sql`false`;
  return Prisma.sql`member_id IN (SELECT m.id FROM account_members m WHERE m.email = ${email})`;
}

/** Locks keys, without playground keys, and returns their ids, oldest first. */
async function lockKeyIds(transaction: Transaction, which: Prisma.Sql): Promise<string[]> {
  const rows = await queryRows(transaction, idRows)`
    SELECT id FROM api_keys WHERE ${which} AND kind <> 'playground' ORDER BY created_at, id FOR UPDATE`;
  return rows.map(({ id }) => id);
}

/** Matches api_keys whose maker no identity provider has deactivated. */
export const NOBODY_STOPPED = Prisma.sql`
  NOT EXISTS (
    SELECT FROM scim_users u WHERE u.account_id = api_keys.account_id AND NOT u.active
      AND u.member_id IS NOT DISTINCT FROM api_keys.member_id
  )
  AND NOT EXISTS (
    SELECT FROM account_members m JOIN scim_users u ON u.scope = '' AND u.email = m.email AND NOT u.active
    WHERE m.id = api_keys.member_id
  )
  AND NOT EXISTS (
    SELECT FROM accounts a JOIN scim_users u ON u.scope = '' AND u.email = a.email AND NOT u.active
    WHERE a.id = api_keys.account_id AND api_keys.member_id IS NULL
  )`;
