import { newId } from '@model-gateway/shared';
import { z } from 'zod';
import { lockAccountAlone } from '../../accounts/account-end-store.ts';
import type { SignupPool } from '../../accounts/signup-pool.ts';
import type { Actor } from '../../actors/actor.ts';
import { inChainOrder } from '../../audit/chain-order-store.ts';
import { type RecordedChange, recordChange } from '../../audit/record-change.ts';
import { PrismaStore, queryRows, type Transaction } from '../../database/prisma-store.ts';
import { isUniqueViolation } from '../../database/unique-violation.ts';
import type { GroupMappings } from '../../group-mappings/group-mappings.ts';
import type { Directory } from '../directory.ts';
import { lockDirectory, syncUsers } from '../groups/sync-users-store.ts';
import { noResource } from '../scim-error.ts';
import { endMembership } from './end-membership-store.ts';
import { moveUser } from './move-user-store.ts';
import { type OpenedMembership, openMembership, openOwnAccount } from './open-membership-store.ts';
import { endSessions, restorePerson, stopPerson, withdrawInvitationsOf } from './stop-user-store.ts';
import { type StoredUser, userAuditResource } from './stored-user.ts';
import { addressOf, type UserAttributes } from './user-attributes.ts';
import { scopeOf, storedUser, USER_COLUMNS, userData, userIsTaken } from './user-row-store.ts';

export interface ChangedUser {
  user: StoredUser;
  /** Key revision of the last changed key; undefined: no data plane needs to know. */
  revision: bigint | undefined;
}

/** Users that identity providers provision. Each change is one transaction with its audit event. */
export class ScimUserStore extends PrismaStore {
  /** @throws ScimError 400, 409 uniqueness */
  async create(
    actor: Actor,
    directory: Directory,
    attributes: UserAttributes,
    signupPool: SignupPool,
  ): Promise<ChangedUser> {
    const email = addressOf(attributes);
    const created = await orTaken(
      this.prisma.$transaction(async (transaction) => {
        const person = { email, name: nameOf(attributes) };
        const {
          changes,
          revision: taken,
          ...membership
        }: OpenedMembership = directory.accountId === null
          ? await openOwnAccount(transaction, person, signupPool)
          : await openMembership(transaction, { ...person, accountId: directory.accountId });
        const id = newId('usr');
        const data = { id, directory: directory.key, scope: scopeOf(directory), ...userData(attributes) };
        await transaction.scimUser.create({ data: { ...data, ...membership } });
        const user = await requireUser(transaction, directory, id);
        // A user whom the identity provider had deleted may sign in again; one that comes inactive may not.
        const { keys, revision, withdrawn } = await setActive(transaction, directory, user);
        const added = userChange('scim.user_created', null, user, keys);
        await recordAll(transaction, actor, [...changes, added, ...withdrawn]);
        return { user, revision: latest(taken, revision) };
      }),
    );
    if (!created.user.active) await endSessions(this.prisma, personOf(created.user, directory));
    return created;
  }

  /**
   * Changes a user. Stops it when it becomes inactive, and restores what that stopped when it becomes active.
   * @param next returns the new attributes; may throw
   * @throws ScimError 400, 404, 409 uniqueness, and those of `next`
   */
  async change(
    actor: Actor,
    directory: Directory,
    id: string,
    mappings: GroupMappings,
    next: (current: StoredUser) => UserAttributes,
  ): Promise<ChangedUser> {
    const changed = await orTaken(
      this.prisma.$transaction(async (transaction) => {
        await lockDirectory(transaction, directory);
        const before = await lockUser(transaction, directory, id);
        const data = userData(next(before));
        const isEqual = JSON.stringify(data) === JSON.stringify(userData(before));
        if (isEqual && before.active) return { user: before, revision: undefined };
        if (!isEqual) {
          const version = before.version + 1;
          await transaction.scimUser.update({
            where: { id },
            data: { ...data, version, updatedAt: new Date() },
          });
        }
        const moved = await moveUser(transaction, directory, before, { email: data.email, mappings });
        const user = await requireUser(transaction, directory, id);
        if (user.active && before.active) {
          await recordAll(transaction, actor, [
            ...moved.changes,
            userChange('scim.user_updated', before, user),
          ]);
          return { user, revision: moved.revision };
        }
        // Stop an inactive user again: a call that ended before every data plane knew may be repeated, and it
        // may have got keys since.
        const { keys, revision, withdrawn } = await setActive(transaction, directory, user);
        const ended = user.active ? 'scim.user_reactivated' : 'scim.user_deactivated';
        const isSame = user.active === before.active && Object.keys(keys).length === 0;
        const action = isSame ? 'scim.user_updated' : ended;
        const change = userChange(action, before, user, keys);
        await recordAll(transaction, actor, [...moved.changes, change, ...withdrawn]);
        return { user, revision: latest(moved.revision, revision) };
      }),
    );
    if (!changed.user.active) await endSessions(this.prisma, personOf(changed.user, directory));
    return changed;
  }

  /**
   * Deletes a user: ends its membership, and revokes its keys for good. An account of its own stays, with its
   * money, but its owner cannot sign in.
   * @throws ScimError 404
   */
  async delete(
    actor: Actor,
    directory: Directory,
    id: string,
    mappings: GroupMappings,
    check: (current: StoredUser) => void,
  ): Promise<{ revision: bigint | undefined }> {
    const deleted = await orTaken(
      this.prisma.$transaction(async (transaction) => {
        await lockDirectory(transaction, directory);
        const user = await lockUser(transaction, directory, id);
        check(user);
        await transaction.scimGroupMember.deleteMany({ where: { userId: id } });
        const synced = await syncUsers(transaction, directory, mappings, [id]);
        const person = personOf(user, directory);
        const removed = await endMembership(transaction, person);
        await transaction.scimUser.delete({ where: { id } });
        const revoked = { revoked_key_ids: removed.keyIds };
        const change = { ...userChange('scim.user_deleted', user, null), after: revoked };
        await recordAll(transaction, actor, [...synced.changes, ...removed.changes, change]);
        return { user, revision: latest(synced.revision, removed.revision) };
      }),
    );
    await endSessions(this.prisma, personOf(deleted.user, directory));
    return deleted;
  }
}

/** @throws ScimError 409 */
async function orTaken<Result>(written: Promise<Result>): Promise<Result> {
  try {
    return await written;
  } catch (error) {
    throw isUniqueViolation(error) ? userIsTaken() : error;
  }
}

function latest(...revisions: (bigint | undefined)[]): bigint | undefined {
  return revisions.reduce(
    (last, each) => (last === undefined || (each ?? 0n) > last ? each : last),
    undefined,
  );
}

/**
 * Stops or restores a person. Stopping withdraws the open invitations that the person made.
 * @returns `keys`: ids of stopped or restored keys, for the audit event; `withdrawn`: events of invitations
 */
async function setActive(
  transaction: Transaction,
  directory: Directory,
  user: StoredUser,
): Promise<{ keys: object; revision: bigint | undefined; withdrawn: RecordedChange[] }> {
  const change = user.active ? restorePerson : stopPerson;
  const person = personOf(user, directory);
  const { keyIds, revision } = await change(transaction, person);
  const withdrawn = user.active ? [] : await withdrawInvitationsOf(transaction, person);
  const name = user.active ? 'restored_key_ids' : 'stopped_key_ids';
  return { keys: keyIds.length === 0 ? {} : { [name]: keyIds }, revision, withdrawn };
}

function personOf(user: StoredUser, { accountId }: Directory) {
  return { ...user, isInstallationWide: accountId === null };
}

function nameOf({ displayName, name: { familyName, formatted, givenName } }: UserAttributes): string {
  return displayName ?? formatted ?? [givenName, familyName].filter(Boolean).join(' ');
}

async function recordAll(
  transaction: Transaction,
  actor: Actor,
  changes: readonly RecordedChange[],
): Promise<void> {
  for (const each of await inChainOrder(transaction, changes)) await recordChange(transaction, actor, each);
}

/** Locks the account of a user as lockAccountAlone does, then the user. @throws ScimError 404 */
async function lockUser(transaction: Transaction, directory: Directory, id: string): Promise<StoredUser> {
  const { accountId } = await requireUser(transaction, directory, id);
  await lockAccountAlone(transaction, accountId);
  await transaction.$executeRaw`SELECT FROM scim_users WHERE id = ${id} FOR UPDATE`;
  return await requireUser(transaction, directory, id);
}

/** @throws ScimError 404 */
async function requireUser(transaction: Transaction, directory: Directory, id: string): Promise<StoredUser> {
  const [user] = await queryRows(transaction, z.array(storedUser))`
    SELECT ${USER_COLUMNS} FROM scim_users u WHERE u.id = ${id} AND u.directory = ${directory.key}`;
  if (user === undefined) throw noResource(`there is no user ${id}`);
  return user;
}

function userChange(
  action: RecordedChange['action'],
  before: StoredUser | null,
  after: StoredUser | null,
  keys: object = {},
): RecordedChange {
  const user = after ?? before;
  if (user === null) throw new Error('a user change needs a user before or after it');
  return {
    action,
    object: { type: 'scim_user', id: user.id, name: user.userName },
    accountId: user.accountId,
    before: before && userAuditResource(before),
    after: after && { ...userAuditResource(after), ...keys },
  };
}
