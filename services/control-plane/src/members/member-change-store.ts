import { Prisma } from '@model-gateway/database';
import { type AccountRole, hasRole } from '@model-gateway/shared/access';
import { z } from 'zod';
import { lockAccount, lockForUser } from '../access/role-store.ts';
import type { Actor } from '../actors/actor.ts';
import { type RecordedChange, recordChange } from '../audit/record-change.ts';
import { revokeKeys, revokeListedKeys, UNEXPIRED } from '../data-planes/key-event-store.ts';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';
import { alreadyExists, failedPrecondition, notFound } from '../errors/control-plane-error.ts';
import { keyChange } from '../keys/key-change.ts';
import { readKeys } from '../keys/read-key-store.ts';
import { checkRoleChange } from './check-role-change.ts';
import { changeOf } from './member-change.ts';
import { findMember, IN_FORCE, MEMBER_COLUMNS } from './member-store.ts';
import { type StoredMember, storedMember } from './stored-member.ts';
import { withdrawInvitationsBy } from './withdraw-invitations-store.ts';

export interface NewMember {
  id: string;
  accountId: string;
  email: string;
  name: string;
  role: AccountRole;
  source: 'invitation' | 'operator';
  /** Lower-case hex SHA-256 of the token, and its validity; undefined: a member without an invitation. */
  invitation?: { tokenHash: string; validDays: number };
}

/** Member of an account, by id or e-mail address. */
export interface MemberKey {
  accountId: string;
  member: string;
}

const accountRows = z.tuple([z.object({ email: z.string(), isOwned: z.boolean(), isDeleted: z.boolean() })]);
const countRows = z.tuple([z.object({ count: z.int() })]);

/**
 * Changes members. Every change locks the account first, so that its checks of roles and owners still hold at
 * the commit.
 */
export class MemberChangeStore extends PrismaStore {
  /**
   * Adds a member, or an invitation, which replaces an earlier one of the address.
   * @param maxOpen open invitations per account
   * @throws ControlPlaneError permission_denied (role), already_exists (member, owner of the account),
   *   failed_precondition (too many open invitations, deleted account, the sign-in has lost its role)
   */
  async add(actor: Actor, given: NewMember, maxOpen: number): Promise<StoredMember> {
    const { accountId, email, invitation } = given;
    return await this.prisma.$transaction(async (transaction) => {
      const actorRole = await lockForRoleChange(transaction, actor, accountId);
      const earlier = await findMember(transaction, accountId, email);
      checkRoleChange(actorRole, { from: earlier?.role, to: given.role });
      const account = await readAccount(transaction, accountId);
      if (account.isDeleted) throw failedPrecondition(`the account ${accountId} is deleted`);
      if (account.email === email) throw alreadyExists(`${email} owns the account`);
      if (earlier !== null && earlier.expiresAt === null)
        throw alreadyExists(`${email} is a member of the account`);
      if (invitation !== undefined) await requireFewOpen(transaction, given, maxOpen);
      await transaction.$executeRaw`
        DELETE FROM account_members WHERE account_id = ${accountId} AND email = ${email}`;
      const invitedBy = actor.type === 'user' && invitation !== undefined ? actor.memberId : undefined;
      const member = await insertMember(transaction, given, invitedBy);
      const action = invitation === undefined ? 'member.added' : 'member.invited';
      await recordChange(transaction, actor, changeOf(action, earlier, member));
      return member;
    });
  }

  /**
   * Changes a role. Withdraws the open invitations of a member who may no longer invite.
   * @throws ControlPlaneError permission_denied (role), not_found, failed_precondition (last owner)
   */
  async changeRole(actor: Actor, { accountId, member }: MemberKey, role: AccountRole): Promise<StoredMember> {
    return await this.prisma.$transaction(async (transaction) => {
      const actorRole = await lockForRoleChange(transaction, actor, accountId);
      const before = await requireMember(transaction, accountId, member);
      checkRoleChange(actorRole, { from: before.role, to: role });
      if (role !== 'owner') await requireOtherOwner(transaction, before);
      await transaction.$executeRaw`UPDATE account_members SET role = ${role} WHERE id = ${before.id}`;
      // An open playground must not go on with its hidden key.
      if (!hasRole(role, 'developer')) await revokeKeys(transaction, playgroundKeysOf([before.id]));
      const after = { ...before, role };
      const withdrawn = hasRole(role, 'admin')
        ? []
        : await withdrawInvitationsBy(transaction, Prisma.sql`maker.id = ${before.id}`);
      await recordChange(transaction, actor, changeOf('member.role_changed', before, after), ...withdrawn);
      return after;
    });
  }

  /**
   * Removes a member or an invitation. Revokes the keys that the member made, and withdraws its invitations.
   * @returns `revision` of the last revoked key; undefined when none was active
   * @throws ControlPlaneError as changeRole
   */
  async remove(
    actor: Actor,
    { accountId, member }: MemberKey,
  ): Promise<{ member: StoredMember; revokedKeys: string[]; revision: bigint | undefined }> {
    return await this.prisma.$transaction(async (transaction) => {
      const actorRole = await lockForRoleChange(transaction, actor, accountId);
      const before = await requireMember(transaction, accountId, member);
      checkRoleChange(actorRole, { from: before.role });
      await requireOtherOwner(transaction, before);
      const withdrawn = await withdrawInvitationsBy(transaction, Prisma.sql`maker.id = ${before.id}`);
      await transaction.$executeRaw`DELETE FROM account_members WHERE id = ${before.id}`;
      const { revision, revoked } = await revokeKeysOf(transaction, [before.id]);
      const removed = changeOf('member.removed', before, null);
      await recordChange(transaction, actor, removed, ...revoked, ...withdrawn);
      return { member: before, revokedKeys: revoked.map(({ object }) => object.id), revision };
    });
  }
}

/**
 * Locks the account, and returns the highest role that the actor may assign: a user its own, an admin key
 * that is bound to the account `admin`, an operator `owner`.
 */
async function lockForRoleChange(
  transaction: Transaction,
  actor: Actor,
  accountId: string,
): Promise<AccountRole> {
  if (actor.type === 'user') return (await lockForUser(transaction, { ...actor, accountId }, 'admin')).role;
  await lockAccount(transaction, accountId);
  return actor.type === 'admin_key' && actor.accountId !== undefined ? 'admin' : 'owner';
}

async function readAccount(transaction: Transaction, accountId: string) {
  const [account] = await queryRows(transaction, accountRows)`
    SELECT email, sign_in_id IS NOT NULL AS "isOwned", deleted_at IS NOT NULL AS "isDeleted"
    FROM accounts WHERE id = ${accountId}`;
  return account;
}

async function requireMember(
  transaction: Transaction,
  accountId: string,
  which: string,
): Promise<StoredMember> {
  const member = await findMember(transaction, accountId, which);
  if (member === null) throw notFound(`the account has no member ${which}`);
  return member;
}

/** @throws ControlPlaneError failed_precondition: the account would lose its last owner */
async function requireOtherOwner(transaction: Transaction, member: StoredMember): Promise<void> {
  const { accountId, expiresAt, id, role } = member;
  if (role !== 'owner' || expiresAt !== null) return;
  if ((await readAccount(transaction, accountId)).isOwned) return;
  const [{ count }] = await queryRows(transaction, countRows)`
    SELECT count(*)::int AS count FROM account_members
    WHERE account_id = ${accountId} AND id <> ${id} AND role = 'owner' AND token_hash IS NULL
      AND stopped_at IS NULL`;
  if (count === 0)
    throw failedPrecondition(
      `${member.email} is the last owner of the account: make another member an owner first`,
    );
}

async function requireFewOpen(
  transaction: Transaction,
  { accountId, email }: NewMember,
  maxOpen: number,
): Promise<void> {
  const [{ count }] = await queryRows(transaction, countRows)`
    SELECT count(*)::int AS count FROM account_members m
    WHERE m.account_id = ${accountId} AND m.email <> ${email} AND m.token_hash IS NOT NULL AND ${IN_FORCE}`;
  if (count < maxOpen) return;
  throw failedPrecondition(
    `an account has at most ${maxOpen} open invitations: withdraw one that is not needed any more`,
  );
}

async function insertMember(
  transaction: Transaction,
  { accountId, email, id, invitation, name, role, source }: NewMember,
  invitedBy: string | undefined,
): Promise<StoredMember> {
  const { tokenHash = null, validDays = null } = invitation ?? {};
  const [member] = await queryRows(transaction, z.tuple([storedMember]))`
    INSERT INTO account_members AS m
      (id, account_id, email, name, role, source, token_hash, expires_at, invited_by)
    VALUES (${id}, ${accountId}, ${email}, ${name}, ${role}, ${source}, ${tokenHash},
      now() + make_interval(days => ${validDays}::int), ${invitedBy ?? null})
    RETURNING ${MEMBER_COLUMNS}`;
  return member;
}

/** Matches the hidden keys of members. */
export function playgroundKeysOf(memberIds: readonly string[]): Prisma.Sql {
  return Prisma.sql`member_id = ANY(${[...memberIds]}) AND kind = 'playground' AND ${UNEXPIRED}`;
}

/** Revokes the keys that members made. @returns an event for each */
export async function revokeKeysOf(
  transaction: Transaction,
  memberIds: readonly string[],
): Promise<{ revision: bigint | undefined; revoked: RecordedChange[] }> {
  const read = () => readKeys(transaction, Prisma.sql`k.member_id = ANY(${[...memberIds]})`);
  const before = new Map((await read()).map((key) => [key.id, key]));
  const which = Prisma.sql`member_id = ANY(${[...memberIds]})`;
  const { keyIds, revision } = await revokeListedKeys(transaction, which);
  const ids = new Set(keyIds);
  const after = (await read()).filter(({ id }) => ids.has(id));
  const revoked = after.map((key) => keyChange('api_key.revoked', before.get(key.id) ?? null, key));
  return { revision, revoked };
}
