import { Prisma } from '@model-gateway/database';
import type { Calendar } from '@model-gateway/shared/rules';
import { announceKeyChanges } from '../data-planes/key-event-store.ts';
import { PrismaStore } from '../database/prisma-store.ts';
import { isUniqueViolation } from '../database/unique-violation.ts';
import { alreadyExists, failedPrecondition, notFound } from '../errors/control-plane-error.ts';
import { insertPool, type NewPool } from '../pools/pool-store.ts';
import type { OwnLimits } from './effective-limits.ts';
import { parseEmail } from './email-address.ts';
import { keysOfAccountAndTeams } from './keys-of-account-store.ts';

export interface StoredAccount extends OwnLimits {
  id: string;
  email: string;
  name: string;
  createdAt: Date;
  /** Null when nobody has proven the e-mail address, and no operator has vouched for it. */
  emailVerifiedAt: Date | null;
  /** True when the account gets its included money only after its address is proven. */
  signupPoolDue: boolean;
  suspendedAt: Date | null;
  /** What keeps its owner from signing in until further notice, such as `scim`. */
  stoppedBy: string | null;
  /** Null when the account is not deleted. A deleted account has a made-up e-mail address and name. */
  deletedAt: Date | null;
  /** Calendar of its budgets. */
  timezone: string;
  weekStarts: string;
  /** Id in a system of its operator. */
  externalId: string | null;
}

export class AccountStore extends PrismaStore {
  /**
   * @param pool the account's first pool, inserted in the same transaction
   * @throws ControlPlaneError already_exists (the address or the sign-in has an account)
   */
  async create(
    account: {
      id: string;
      email: string;
      name: string;
      signInId: string | undefined;
      emailVerified: boolean;
      signupPoolDue: boolean;
    } & Partial<Calendar>,
    pool: NewPool | undefined,
  ): Promise<StoredAccount> {
    try {
      return await this.prisma.$transaction(async (transaction) => {
        const { emailVerified, signInId, ...rest } = account;
        const data = {
          ...rest,
          ...(emailVerified ? { emailVerifiedAt: new Date() } : {}),
          ...(signInId === undefined ? {} : { signInId }),
        };
        const created = await transaction.account.create({ data });
        if (pool !== undefined) await insertPool(transaction, pool);
        return created;
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw alreadyExists(`there is an account with the e-mail address ${account.email}`);
    }
  }

  async count(): Promise<number> {
    return await this.prisma.account.count({ where: { deletedAt: null } });
  }

  /**
   * Changes the given limits (null: the default) and tells data planes to forget the account's keys.
   * @returns `revision` of the last event; undefined when the account has no active key
   */
  async setLimits(
    id: string,
    limits: Partial<OwnLimits>,
  ): Promise<{ account: StoredAccount; revision: bigint | undefined }> {
    return await this.prisma.$transaction(async (transaction) => {
      const account = await transaction.account.update({ where: { id }, data: limits });
      const revision = await announceKeyChanges(transaction, Prisma.sql`account_id = ${id}`);
      return { account, revision };
    });
  }

  /**
   * Changes the given members of a calendar, and tells data planes to forget the keys of the account and
   * those on its teams' seats.
   * @returns `revision` of the last event; undefined when no key is active
   */
  async setCalendar(
    id: string,
    calendar: Partial<Calendar>,
  ): Promise<{ account: StoredAccount; revision: bigint | undefined }> {
    return await this.prisma.$transaction(async (transaction) => {
      const account = await transaction.account.update({ where: { id }, data: calendar });
      return { account, revision: await announceKeyChanges(transaction, keysOfAccountAndTeams(id)) };
    });
  }

  async findByEmail(email: string): Promise<StoredAccount | null> {
    const stored = parseEmail(email);
    return stored === undefined ? null : await this.prisma.account.findUnique({ where: { email: stored } });
  }

  /** @throws ControlPlaneError not_found */
  async require(idOrEmail: string): Promise<StoredAccount> {
    const account = idOrEmail.includes('@')
      ? await this.findByEmail(idOrEmail)
      : await this.prisma.account.findUnique({ where: { id: idOrEmail } });
    if (account === null) throw notFound(`there is no account ${idOrEmail}`);
    return account;
  }

  /**
   * Finds an account to change or extend.
   * @throws ControlPlaneError not_found, failed_precondition (deleted)
   */
  async requireNotDeleted(idOrEmail: string): Promise<StoredAccount> {
    const account = await this.require(idOrEmail);
    if (account.deletedAt === null) return account;
    throw failedPrecondition(`the account ${account.id} is deleted`);
  }
}
