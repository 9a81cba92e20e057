import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import { type RecordedChange, recordChange } from '../audit/record-change.ts';
import { announceKeyChanges } from '../data-planes/key-event-store.ts';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';
import { failedPrecondition, notFound } from '../errors/control-plane-error.ts';
import type { SealedKey } from './contents-seal.ts';

const settingRows = z.array(z.object({ keyId: z.bigint(), days: z.int(), since: z.date() }));
const accountRows = z.array(z.object({ email: z.string(), deletedAt: z.date().nullable() }));

/** Setting of an account whose contents are stored. */
export type ContentsSetting = z.infer<typeof settingRows>[number];

/** Stores which accounts have contents turned on, and who looked at them. */
export class ContentsSettingStore extends PrismaStore {
  /** @returns undefined: they are off */
  async find(accountId: string): Promise<ContentsSetting | undefined> {
    return await findSetting(this.prisma, accountId);
  }

  /**
   * Turns contents on with a new key, or changes the days of contents that are on.
   * @returns revision of the last event for data planes; undefined: they need not know
   * @throws ControlPlaneError not_found, failed_precondition (deleted account)
   */
  async turnOn(actor: Actor, accountId: string, days: number, key: SealedKey): Promise<bigint | undefined> {
    return await this.prisma.$transaction(async (transaction) => {
      const email = await lockAccount(transaction, accountId);
      const before = await findSetting(transaction, accountId);
      let revision: bigint | undefined;
      if (before === undefined) {
        const { previousSealed: _, sealed, ...rest } = key;
        const data = { ...rest, accountId, days, sealed: new Uint8Array(sealed) };
        await transaction.contentsKey.create({ data });
        revision = await announceKeyChanges(transaction, Prisma.sql`account_id = ${accountId}`);
      } else {
        await transaction.contentsKey.update({ where: { id: before.keyId }, data: { days } });
      }
      const change = { accountId, email, before: before?.days, after: days };
      await recordChange(transaction, actor, settingChange('contents.turned_on', change));
      return revision;
    });
  }

  /**
   * Turns contents off: destroys the key, so that nothing can read them from the commit on.
   * @returns as `turnOn`
   * @throws ControlPlaneError not_found, failed_precondition (deleted account)
   */
  async turnOff(actor: Actor, accountId: string): Promise<bigint | undefined> {
    return await this.prisma.$transaction(async (transaction) => {
      const email = await lockAccount(transaction, accountId);
      const before = await findSetting(transaction, accountId);
      if (before === undefined) return undefined;
      await destroyContentsKey(transaction, accountId);
      const revision = await announceKeyChanges(transaction, Prisma.sql`account_id = ${accountId}`);
      const change = { accountId, email, before: before.days, after: undefined };
      await recordChange(transaction, actor, settingChange('contents.turned_off', change));
      return revision;
    });
  }

  /** Records that somebody looks at the contents of a request. */
  async recordView(actor: Actor, accountId: string, requestId: string): Promise<void> {
    await this.prisma.$transaction(async (transaction) => {
      const object = { type: 'request', id: requestId, name: requestId };
      const view = { action: 'contents.viewed', object, accountId, before: null, after: null } as const;
      await recordChange(transaction, actor, view);
    });
  }
}

/** Destroys the key of an account's contents, in a transaction that records why. */
export async function destroyContentsKey(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.$executeRaw`
    UPDATE contents_keys SET sealed = NULL, previous_sealed = NULL
    WHERE account_id = ${accountId} AND sealed IS NOT NULL`;
}

async function findSetting(
  client: Pick<Transaction, '$queryRaw'>,
  accountId: string,
): Promise<ContentsSetting | undefined> {
  const [setting] = await queryRows(client, settingRows)`
    SELECT id AS "keyId", days, created_at AS since FROM contents_keys
    WHERE account_id = ${accountId} AND sealed IS NOT NULL`;
  return setting;
}

/** Locks an account, so that its contents are turned on once. @returns its e-mail address */
async function lockAccount(transaction: Transaction, accountId: string): Promise<string> {
  const [account] = await queryRows(transaction, accountRows)`
    SELECT email, deleted_at AS "deletedAt" FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
  if (account === undefined) throw notFound(`there is no account ${accountId}`);
  if (account.deletedAt !== null) throw failedPrecondition(`the account ${accountId} is deleted`);
  return account.email;
}

interface SettingChange {
  accountId: string;
  email: string;
  /** Days; undefined: off. */
  before: number | undefined;
  after: number | undefined;
}

function settingChange(
  action: 'contents.turned_off' | 'contents.turned_on',
  { accountId, after, before, email }: SettingChange,
): RecordedChange {
  const setting = (days: number | undefined) => ({ object: 'contents_setting', days: days ?? null });
  const object = { type: 'account', id: accountId, name: email };
  return { action, object, accountId, before: setting(before), after: setting(after) };
}
