import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { PrismaStore, type Transaction } from '../database/prisma-store.ts';

/** A stored value under one pepper. */
export interface SealedRow {
  name: string;
  pepperFingerprint: string;
  sealed: Uint8Array;
  setAt: Date;
}

export interface NewSealedRow {
  pepperFingerprint: string;
  sealed: Buffer;
}

/** Returns null without rows. */
type DescribeRows = (rows: readonly SealedRow[]) => object | null;

interface RecordedCredential {
  actor: Actor;
  name: string;
  action: 'credential.removed' | 'credential.set';
  describe: DescribeRows;
}

/** Stores credentials of providers, encrypted. Each change is a revision of the catalog. */
export class StoredCredentialStore extends PrismaStore {
  async list(): Promise<SealedRow[]> {
    return await this.prisma.providerCredential.findMany({
      orderBy: [{ name: 'asc' }, { pepperFingerprint: 'asc' }],
    });
  }

  /** @param describe returns what an audit event shows of a credential's rows */
  async set(
    actor: Actor,
    name: string,
    rows: readonly NewSealedRow[],
    describe: DescribeRows,
  ): Promise<void> {
    await this.#change(
      async (transaction) => {
        await transaction.providerCredential.deleteMany({ where: { name } });
        const data = rows.map((row) => ({ ...row, name, sealed: new Uint8Array(row.sealed) }));
        await transaction.providerCredential.createMany({ data });
        return true;
      },
      { actor, name, action: 'credential.set', describe },
    );
  }

  /** @param describe as for `set` @returns false if no such credential is stored */
  async remove(actor: Actor, name: string, describe: DescribeRows): Promise<boolean> {
    return await this.#change(
      async (transaction) => (await transaction.providerCredential.deleteMany({ where: { name } })).count > 0,
      { actor, name, action: 'credential.removed', describe },
    );
  }

  /** Adds and deletes the rows that `renew` returns for the current ones. */
  async renew(
    renew: (rows: readonly SealedRow[]) => { add: SealedRow[]; forget: SealedRow[] },
  ): Promise<void> {
    await this.#change(async (transaction) => {
      const { add, forget } = renew(await transaction.providerCredential.findMany());
      const data = add.map((row) => ({ ...row, sealed: new Uint8Array(row.sealed) }));
      await transaction.providerCredential.createMany({ data });
      for (const { name, pepperFingerprint } of forget) {
        await transaction.providerCredential.deleteMany({ where: { name, pepperFingerprint } });
      }
      return add.length > 0;
    });
  }

  /**
   * Changes credentials in a transaction.
   * @param work returns true if data planes must be informed
   * @param recorded undefined: nobody in particular makes the change
   */
  async #change(
    work: (transaction: Transaction) => Promise<boolean>,
    recorded?: RecordedCredential,
  ): Promise<boolean> {
    return await this.prisma.$transaction(async (transaction) => {
      await transaction.$queryRaw`SELECT value FROM revisions WHERE name = 'catalog' FOR UPDATE`;
      const before = await describeStored(transaction, recorded);
      const isChanged = await work(transaction);
      if (!isChanged) return false;
      await transaction.revision.update({ where: { name: 'catalog' }, data: { value: { increment: 1 } } });
      await transaction.$queryRaw`SELECT pg_notify('gateway_catalog', '')::text`;
      if (recorded !== undefined) {
        const { actor, name, action } = recorded;
        const after = await describeStored(transaction, recorded);
        const object = { type: 'credential', id: name, name };
        await recordChange(transaction, actor, { action, object, accountId: null, before, after });
      }
      return true;
    });
  }
}

async function describeStored(
  transaction: Transaction,
  recorded: RecordedCredential | undefined,
): Promise<object | null> {
  if (recorded === undefined) return null;
  const rows = await transaction.providerCredential.findMany({
    where: { name: recorded.name },
    orderBy: { pepperFingerprint: 'asc' },
  });
  return recorded.describe(rows);
}
