import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { lockAccount, provenAddress } from '../access/role-store.ts';
import type { Actor } from '../actors/actor.ts';
import { type RecordedChange, recordChange } from '../audit/record-change.ts';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';
import { isUniqueViolation } from '../database/unique-violation.ts';
import { alreadyExists } from '../errors/control-plane-error.ts';
import { changeOf } from './member-change.ts';
import { revokeKeysOf } from './member-change-store.ts';
import { isOffer, MEMBER_COLUMNS, type OfferKey } from './member-store.ts';
import { type StoredMember, storedMember } from './stored-member.ts';

const memberRows = z.array(storedMember);
const membershipRows = z.tuple([z.object({ owns: z.boolean(), isMember: z.boolean() })]);

const othersRows = z.tuple([z.object({ isOthers: z.boolean() })]);
const NOTHING_REVOKED = { revision: undefined, revoked: [] };

/** Makes sign-ins members of accounts. */
export class JoinStore extends PrismaStore {
  /**
   * Redeems an invitation, once. The member gets the proven address of the sign-in. Without one, it keeps the
   * invited address, and a sign-in that proves this address later becomes the member.
   * @returns null when no such invitation is open
   * @throws ControlPlaneError already_exists (owns the account, or is a member; the invitation stays open)
   */
  async accept(actor: Actor, signInId: string, which: OfferKey): Promise<StoredMember | null> {
    try {
      return await this.prisma.$transaction(async (transaction) => {
        const find = async () =>
          (
            await queryRows(transaction, memberRows)`
              SELECT ${MEMBER_COLUMNS} FROM account_members m WHERE ${isOffer(which)}`
          )[0];
        const offered = await find();
        if (offered === undefined) return null;
        await lockAccount(transaction, offered.accountId);
        // Another call may have redeemed or withdrawn it meanwhile.
        const before = await find();
        if (before === undefined) return null;
        const membership = await readMembership(transaction, before.accountId, signInId);
        if (membership.owns) throw alreadyExists('you own this account');
        if (membership.isMember) throw alreadyExists('you are a member of this account');
        return await join(
          transaction,
          actor,
          before,
          signInId,
          Prisma.sql`coalesce((${provenAddress(signInId)}), email)`,
        );
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw alreadyExists('your address is a member of this account');
    }
  }

  /**
   * Gives a sign-in the memberships of its address, which it has proven: those that were added, and those of
   * an earlier sign-in with this address. One that never proved it loses the keys that it made.
   * @param email as stored
   * @returns `revision` of the last revoked key; undefined when there was none
   */
  async bind(actor: Actor, signInId: string, email: string): Promise<bigint | undefined> {
    let last: bigint | undefined;
    const members = await this.query(memberRows)`
      SELECT ${MEMBER_COLUMNS} FROM account_members m
      WHERE m.email = ${email} AND m.token_hash IS NULL AND m.sign_in_id IS DISTINCT FROM ${signInId}`;
    for (const { accountId, id } of members) {
      await this.prisma.$transaction(async (transaction) => {
        await lockAccount(transaction, accountId);
        const [before] = await queryRows(transaction, memberRows)`
          SELECT ${MEMBER_COLUMNS} FROM account_members m
          WHERE m.id = ${id} AND m.email = ${email} AND m.token_hash IS NULL`;
        const { isMember } = await readMembership(transaction, accountId, signInId);
        if (before === undefined || isMember) return;
        const [{ isOthers }] = await queryRows(transaction, othersRows)`
          SELECT m.sign_in_id IS NOT NULL AND m.email NOT IN (${provenAddress(before.signInId ?? '')}) AS "isOthers"
          FROM account_members m WHERE m.id = ${id}`;
        const { revision, revoked } = isOthers ? await revokeKeysOf(transaction, [id]) : NOTHING_REVOKED;
        await join(transaction, actor, before, signInId, Prisma.sql`email`, revoked);
        last = revision ?? last;
      });
    }
    return last;
  }
}

async function readMembership(transaction: Transaction, accountId: string, signInId: string) {
  const [membership] = await queryRows(transaction, membershipRows)`
    SELECT coalesce(a.sign_in_id = ${signInId}, false) AS owns, EXISTS (
      SELECT FROM account_members m
      WHERE m.account_id = a.id AND m.sign_in_id = ${signInId} AND m.token_hash IS NULL
    ) AS "isMember"
    FROM accounts a WHERE a.id = ${accountId}`;
  return membership;
}

/** @param email address of the member from now on @param further changes that come with it */
async function join(
  transaction: Transaction,
  actor: Actor,
  before: StoredMember,
  signInId: string,
  email: Prisma.Sql,
  further: readonly RecordedChange[] = [],
): Promise<StoredMember> {
  const [after] = await queryRows(transaction, z.tuple([storedMember]))`
    UPDATE account_members m SET sign_in_id = ${signInId}, token_hash = NULL, expires_at = NULL, email = ${email}
    WHERE m.id = ${before.id} RETURNING ${MEMBER_COLUMNS}`;
  await recordChange(transaction, actor, changeOf('member.joined', before, after), ...further);
  return after;
}
