import { Prisma } from '@model-gateway/database';
import { ACCOUNT_ROLES } from '@model-gateway/shared/access';
import { z } from 'zod';
import { provenAddress } from '../access/role-store.ts';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';
import { listOrder } from '../lists/list-order-store.ts';
import type { ListQuery } from '../lists/list-page.ts';
import { type StoredMember, storedMember } from './stored-member.ts';

const offeredMembership = storedMember.extend({ accountName: z.string() });
/** Open invitation to an account. */
export type OfferedMembership = z.infer<typeof offeredMembership>;

const membershipRows = z.array(z.object({ accountId: z.string(), role: z.enum(ACCOUNT_ROLES) }));
/** Account in which a sign-in is a member, without the one that it owns. */
export type Membership = z.infer<typeof membershipRows>[number];

/** Columns of a row `m` of account_members in the form of storedMember. */
export const MEMBER_COLUMNS = Prisma.sql`
  m.id, m.account_id AS "accountId", m.email, m.name, m.role, m.source, m.sign_in_id AS "signInId",
  m.created_at AS "createdAt", m.expires_at AS "expiresAt", m.stopped_at AS "stoppedAt",
  m.stopped_by AS "stoppedBy"`;

/** Matches members, and invitations that are still open. */
export const IN_FORCE = Prisma.sql`(m.token_hash IS NULL OR m.expires_at > now())`;

/** Selects an invitation by its token, or by its id for a sign-in that has proven the invited address. */
export type OfferKey = { tokenHash: string } | { invitationId: string; signInId: string };

/** Matches an open invitation `m`. */
export function isOffer(which: OfferKey): Prisma.Sql {
  const isNamed =
    'tokenHash' in which
      ? Prisma.sql`m.token_hash = ${which.tokenHash}`
      : Prisma.sql`m.id = ${which.invitationId} AND m.email IN (${provenAddress(which.signInId)})`;
  return Prisma.sql`${isNamed} AND m.token_hash IS NOT NULL AND m.expires_at > now()`;
}

/** Finds a member or an open invitation of an account. @param which id or e-mail address */
export async function findMember(
  database: Pick<Transaction, '$queryRaw'>,
  accountId: string,
  which: string,
): Promise<StoredMember | null> {
  const isNamed = which.includes('@')
    ? Prisma.sql`m.email = ${which.trim().toLowerCase()}`
    : Prisma.sql`m.id = ${which}`;
  const [found] = await queryRows(database, z.array(storedMember))`
    SELECT ${MEMBER_COLUMNS} FROM account_members m
    WHERE m.account_id = ${accountId} AND ${isNamed} AND ${IN_FORCE}`;
  return found ?? null;
}

export class MemberStore extends PrismaStore {
  /** @param which id or e-mail address */
  async find(accountId: string, which: string): Promise<StoredMember | null> {
    return await findMember(this.prisma, accountId, which);
  }

  /** Lists members and open invitations, newest first, one more than the limit. */
  async ofAccount(accountId: string, query: ListQuery): Promise<StoredMember[]> {
    const { isAfter, orderAndLimit } = listOrder('m', 'newest', query);
    return await this.query(z.array(storedMember))`
      SELECT ${MEMBER_COLUMNS} FROM account_members m
      WHERE m.account_id = ${accountId} AND ${IN_FORCE} AND ${isAfter} ${orderAndLimit}`;
  }

  /** Lists the accounts in which a sign-in is a member, oldest membership first. */
  async ofSignIn(signInId: string): Promise<Membership[]> {
    return await this.query(membershipRows)`
      SELECT m.account_id AS "accountId", m.role FROM account_members m JOIN accounts a ON a.id = m.account_id
      WHERE m.sign_in_id = ${signInId} AND m.token_hash IS NULL AND m.stopped_at IS NULL
        AND a.sign_in_id IS DISTINCT FROM m.sign_in_id AND a.suspended_at IS NULL AND a.deleted_at IS NULL
      ORDER BY m.created_at, m.id`;
  }

  async findOffer(which: OfferKey): Promise<OfferedMembership | null> {
    const [found] = await this.query(z.array(offeredMembership))`
      SELECT ${MEMBER_COLUMNS}, a.name AS "accountName"
      FROM account_members m JOIN accounts a ON a.id = m.account_id WHERE ${isOffer(which)}`;
    return found ?? null;
  }

  /** Lists open invitations to the address that a sign-in has proven, oldest first. */
  async offeredTo(signInId: string): Promise<OfferedMembership[]> {
    return await this.query(z.array(offeredMembership))`
      SELECT ${MEMBER_COLUMNS}, a.name AS "accountName"
      FROM account_members m JOIN accounts a ON a.id = m.account_id
      WHERE m.email IN (${provenAddress(signInId)}) AND m.token_hash IS NOT NULL AND m.expires_at > now()
        AND a.suspended_at IS NULL
      ORDER BY m.created_at, m.id`;
  }

  /** Deletes invitations that nobody has accepted in time. */
  async prune(): Promise<void> {
    await this.prisma.$executeRaw`DELETE FROM account_members WHERE expires_at <= now()`;
  }
}
