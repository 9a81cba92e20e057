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
    await this.#change(actor, { name, action: 'credential.set', describe }, async (transaction) => {
      await transaction.providerCredential.deleteMany({ where: { name } });
      const data = rows.map((row) => ({ ...row, name, sealed: new Uint8Array(row.sealed) }));
      await transaction.providerCredential.createMany({ data });
      return true;
    });
  }

  /** @param describe as for `set` @returns false if no such credential is stored */
  async remove(actor: Actor, name: string, describe: DescribeRows): Promise<boolean> {
    return await this.#change(
      actor,
      { name, action: 'credential.removed', describe },
      async (transaction) => {
        return (await transaction.providerCredential.deleteMany({ where: { name } })).count > 0;
      },
    );
  }

  /** Adds and deletes the rows that `renew` returns for the current ones. */
  async renew(
    renew: (rows: readonly SealedRow[]) => { add: SealedRow[]; forget: SealedRow[] },
  ): Promise<void> {
    await this.prisma.$transaction(async (transaction) => {
      await lockRevision(transaction);
      const { add, forget } = renew(await transaction.providerCredential.findMany());
      const data = add.map((row) => ({ ...row, sealed: new Uint8Array(row.sealed) }));
      await transaction.providerCredential.createMany({ data });
      for (const { name, pepperFingerprint } of forget) {
        await transaction.providerCredential.deleteMany({ where: { name, pepperFingerprint } });
      }
      if (add.length > 0) await announce(transaction);
    });
  }

  /** @param work changes the credential; returns false if nothing changed */
  async #change(
    actor: Actor,
    recorded: RecordedCredential,
    work: (transaction: Transaction) => Promise<boolean>,
  ): Promise<boolean> {
    return await this.prisma.$transaction(async (transaction) => {
      await lockRevision(transaction);
      const before = await describeStored(transaction, recorded);
      if (!(await work(transaction))) return false;
      await announce(transaction);
      const { action, name } = recorded;
      const object = { type: 'credential', id: name, name };
      const after = await describeStored(transaction, recorded);
      await recordChange(transaction, actor, { action, object, accountId: null, before, after });
      return true;
    });
  }
}

/** Serializes changes of the catalog and of credentials. */
async function lockRevision(transaction: Transaction): Promise<void> {
  await transaction.$queryRaw`SELECT value FROM revisions WHERE name = 'catalog' FOR UPDATE`;
}

/** Tells data planes that credentials have changed. */
async function announce(transaction: Transaction): Promise<void> {
  await transaction.revision.update({ where: { name: 'catalog' }, data: { value: { increment: 1 } } });
  await transaction.$queryRaw`SELECT pg_notify('gateway_catalog', '')::text`;
}

async function describeStored(
  transaction: Transaction,
  { describe, name }: RecordedCredential,
): Promise<object | null> {
  const orderBy = { pepperFingerprint: 'asc' } as const;
  return describe(await transaction.providerCredential.findMany({ where: { name }, orderBy }));
}
