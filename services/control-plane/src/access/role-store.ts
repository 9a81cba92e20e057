import { Prisma } from '@model-gateway/database';
import {
  ACCOUNT_ROLES,
  type AccountRole,
  hasRole,
  INSTALLATION_ROLES,
  type InstallationRole,
} from '@model-gateway/shared/access';
import { z } from 'zod';
import type { UserActor } from '../actors/actor.ts';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';
import { failedPrecondition } from '../errors/control-plane-error.ts';

/** Role of a sign-in in an account. */
export interface HeldRole {
  role: AccountRole;
  /** Undefined: it owns the account by its address. */
  memberId: string | undefined;
  isSuspended: boolean;
}

const heldRoleRows = z.array(
  z.object({
    isSuspended: z.boolean(),
    memberId: z.string().nullable(),
    role: z.enum(ACCOUNT_ROLES),
  }),
);

const roleRows = z.array(z.object({ role: z.enum(INSTALLATION_ROLES) }));

export class RoleStore extends PrismaStore {
  /** Returns undefined when the sign-in has no role in the account, or there is no such account. */
  async accountRoleOf(accountId: string, signInId: string): Promise<HeldRole | undefined> {
    return await readHeldRole(this.prisma, accountId, signInId);
  }

  /** Returns false for a deleted account, too. */
  async hasAccount(accountId: string): Promise<boolean> {
    return (await this.prisma.account.count({ where: { id: accountId, deletedAt: null } })) > 0;
  }

  /** Returns the roles that were given to the address which a sign-in has proven. */
  async installationRolesOf(signInId: string): Promise<InstallationRole[]> {
    const rows = await this.query(roleRows)`
      SELECT DISTINCT r.role FROM installation_roles r
      WHERE r.email IN (${provenAddress(signInId)}) AND ${isNotStopped(signInId)} ORDER BY 1`;
    return rows.map(({ role }) => role);
  }

  /** Returns the id of the member who made a key, if that member is a developer now; otherwise undefined. */
  async developerOfKey(keyId: string): Promise<string | undefined> {
    const [row] = await this.query(z.array(z.object({ memberId: z.string() })))`
      SELECT k.member_id AS "memberId"
      FROM api_keys k
      JOIN accounts a ON a.id = k.account_id
      LEFT JOIN account_members m ON m.id = k.member_id
      WHERE k.id = ${keyId} AND k.member_id IS NOT NULL
        AND coalesce(m.role, 'developer') = 'developer' AND (m.sign_in_id = a.sign_in_id) IS NOT TRUE`;
    return row?.memberId;
  }
}

/** Selects the address that a sign-in has proven. */
export function provenAddress(signInId: string): Prisma.Sql {
  return Prisma.sql`SELECT lower(u.email) FROM dashboard_users u WHERE u.id = ${signInId} AND u.email_verified`;
}

/** Matches the account `o` that a sign-in owns, or whose address it has proven. */
function isOfSignIn(signInId: string): Prisma.Sql {
  return Prisma.sql`(o.sign_in_id = ${signInId} OR o.email IN (${provenAddress(signInId)}))`;
}

/** Matches if no identity provider has deactivated the person of a sign-in. */
function isNotStopped(signInId: string): Prisma.Sql {
  return Prisma.sql`
    NOT EXISTS (SELECT FROM accounts o WHERE ${isOfSignIn(signInId)} AND o.stopped_by IS NOT NULL)
    AND NOT EXISTS (
      SELECT FROM scim_users u WHERE u.scope = '' AND u.email IN (${provenAddress(signInId)}) AND NOT u.active
    )`;
}

async function readHeldRole(
  database: Pick<Transaction, '$queryRaw'>,
  accountId: string,
  signInId: string,
): Promise<HeldRole | undefined> {
  const [found] = await queryRows(database, heldRoleRows)`
    SELECT a.suspended_at IS NOT NULL AS "isSuspended",
      CASE WHEN a.sign_in_id = ${signInId} THEN NULL ELSE m.id END AS "memberId",
      CASE WHEN a.sign_in_id = ${signInId} THEN 'owner' ELSE m.role END AS role
    FROM accounts a
    LEFT JOIN account_members m ON m.account_id = a.id AND m.sign_in_id = ${signInId}
      AND m.token_hash IS NULL AND m.stopped_at IS NULL
    WHERE a.id = ${accountId} AND a.deleted_at IS NULL AND (a.sign_in_id = ${signInId} OR m.id IS NOT NULL)
      AND ${isNotStopped(signInId)}`;
  return found && { ...found, memberId: found.memberId ?? undefined };
}

/**
 * Locks an account, so that neither its owner nor its members change. Otherwise a sign-in that is losing its
 * role could still create a key or an invitation after those that it made were revoked.
 */
export async function lockAccount(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.$executeRaw`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
}

/**
 * Locks the account in which a user acts, and its own, which an identity provider stops, and requires the
 * role again.
 * @throws ControlPlaneError failed_precondition (the sign-in has lost it meanwhile)
 */
export async function lockForUser(
  transaction: Transaction,
  { accountId, signInId }: Pick<UserActor, 'accountId' | 'signInId'>,
  minRole: AccountRole,
): Promise<HeldRole> {
  // Its own account first, as SCIM does, and weakly: two owners may each act in the account of the other.
  await transaction.$executeRaw`SELECT FROM accounts o WHERE ${isOfSignIn(signInId)} ORDER BY o.id FOR KEY SHARE`;
  await lockAccount(transaction, accountId);
  const held = await readHeldRole(transaction, accountId, signInId);
  if (held !== undefined && hasRole(held.role, minRole)) return held;
  throw failedPrecondition('this sign-in has lost its role in the account: sign in again');
}
