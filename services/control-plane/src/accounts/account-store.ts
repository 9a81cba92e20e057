import { Prisma } from '@model-gateway/database';
import type { Calendar } from '@model-gateway/shared/rules';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { announceKeyChanges } from '../data-planes/key-event-store.ts';
import { PrismaStore, type Transaction } from '../database/prisma-store.ts';
import { isUniqueViolation } from '../database/unique-violation.ts';
import {
  alreadyExists,
  type ControlPlaneError,
  failedPrecondition,
  notFound,
} from '../errors/control-plane-error.ts';
import { poolChange } from '../pools/pool-change.ts';
import { insertPool, type NewPool } from '../pools/pool-store.ts';
import { holdPriceList } from '../price-lists/price-list-store.ts';
import { accountChange } from './account-change.ts';
import type { OwnLimits } from './effective-limits.ts';
import { parseEmail } from './email-address.ts';
import { keysOfAccountAndTeams } from './keys-of-account-store.ts';
import type { StoredAccount } from './stored-account.ts';

export type { StoredAccount } from './stored-account.ts';

/** Members of an account that its operator may change; absent: unchanged. */
export type AccountChanges = Partial<
  OwnLimits & Calendar & Pick<StoredAccount, 'name' | 'externalId' | 'thresholdMails' | 'priceListId'>
>;

export class AccountStore extends PrismaStore {
  /**
   * @param pool the account's first pool, inserted in the same transaction
   * @throws ControlPlaneError already_exists (the address or the sign-in has an account), not_found (price
   *   list)
   */
  async create(
    actor: Actor,
    account: {
      id: string;
      email: string;
      name: string;
      signInId: string | undefined;
      emailVerified: boolean;
      signupPoolDue: boolean;
      externalId?: string;
      priceListId?: string | null;
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
        if (account.priceListId != null) await holdPriceList(transaction, account.priceListId);
        const created = await transaction.account.create({ data });
        const pools = pool === undefined ? [] : [await insertPool(transaction, pool)];
        await recordChange(
          transaction,
          actor,
          accountChange('account.created', null, created),
          ...pools.map((first) => poolChange('pool.created', created.id, null, first)),
        );
        return created;
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw await this.#duplicate(account.email, account.externalId);
    }
  }

  /**
   * Changes the given members, and makes data planes reload the keys that limits, calendar or price list
   * concern.
   * @returns `revision` of the last event; undefined when no data plane needs to know
   * @throws ControlPlaneError failed_precondition (deleted), already_exists (external id), not_found (price
   *   list)
   */
  async update(
    actor: Actor,
    id: string,
    changes: AccountChanges,
  ): Promise<{ account: StoredAccount; revision: bigint | undefined }> {
    try {
      return await this.prisma.$transaction(async (transaction) => {
        const before = await lockedAccount(transaction, id);
        if (before.deletedAt !== null) throw failedPrecondition(`the account ${id} is deleted`);
        if (changes.priceListId != null) await holdPriceList(transaction, changes.priceListId);
        const account = await transaction.account.update({ where: { id }, data: changes });
        const { externalId: _, name: __, thresholdMails: ___, ...ofKeys } = changes;
        const revision =
          Object.keys(ofKeys).length === 0
            ? undefined
            : await announceKeyChanges(transaction, keysOfAccountAndTeams(id));
        await recordChange(transaction, actor, accountChange('account.updated', before, account));
        return { account, revision };
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw await this.#duplicate('', changes.externalId ?? undefined);
    }
  }

  /** Records that somebody looks at an account as its holder sees it. */
  async view(actor: Actor, account: StoredAccount): Promise<void> {
    await this.prisma.$transaction(async (transaction) => {
      const viewed = accountChange('account.viewed', null, account);
      const inEvent = { object: viewed.object, before: null, after: null };
      await recordChange(transaction, actor, { ...viewed, inEvent });
    });
  }

  async #duplicate(email: string, externalId: string | undefined): Promise<ControlPlaneError> {
    const other =
      externalId === undefined ? null : await this.prisma.account.findUnique({ where: { externalId } });
    return other === null
      ? alreadyExists(`there is an account with the e-mail address ${email}`)
      : alreadyExists(`there is an account with the external_id ${externalId}`);
  }

  async count(): Promise<number> {
    return await this.prisma.account.count({ where: { deletedAt: null } });
  }

  /**
   * Changes the given limits (null: the default) and makes data planes reload the account's keys.
   * @returns `revision` of the last event; undefined when the account has no active key
   */
  async setLimits(
    actor: Actor,
    id: string,
    limits: Partial<OwnLimits>,
  ): Promise<{ account: StoredAccount; revision: bigint | undefined }> {
    return await this.prisma.$transaction(async (transaction) => {
      const before = await lockedAccount(transaction, id);
      const account = await transaction.account.update({ where: { id }, data: limits });
      const revision = await announceKeyChanges(transaction, Prisma.sql`account_id = ${id}`);
      await recordChange(transaction, actor, accountChange('limits.changed', before, account));
      return { account, revision };
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

/** Finds an account and keeps others from changing it until the commit. */
async function lockedAccount(transaction: Transaction, id: string): Promise<StoredAccount> {
  await transaction.$executeRaw`SELECT FROM accounts WHERE id = ${id} FOR NO KEY UPDATE`;
  return await transaction.account.findUniqueOrThrow({ where: { id } });
}
