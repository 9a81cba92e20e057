import type { Prisma } from '@model-gateway/database';
import { PrismaStore } from '../database/prisma-store.ts';

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

/** Stores credentials of providers, encrypted. Each change is a revision of the catalog. */
export class StoredCredentialStore extends PrismaStore {
  async list(): Promise<SealedRow[]> {
    return await this.prisma.providerCredential.findMany({
      orderBy: [{ name: 'asc' }, { pepperFingerprint: 'asc' }],
    });
  }

  async set(name: string, rows: readonly NewSealedRow[]): Promise<void> {
    await this.#change(async (transaction) => {
      await transaction.providerCredential.deleteMany({ where: { name } });
      const data = rows.map((row) => ({ ...row, name, sealed: new Uint8Array(row.sealed) }));
      await transaction.providerCredential.createMany({ data });
      return true;
    });
  }

  /** @returns false if no such credential is stored */
  async remove(name: string): Promise<boolean> {
    return await this.#change(
      async (transaction) => (await transaction.providerCredential.deleteMany({ where: { name } })).count > 0,
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

  /** Changes credentials in a transaction. @param work returns true if data planes must be informed */
  async #change(work: (transaction: Prisma.TransactionClient) => Promise<boolean>): Promise<boolean> {
    return await this.prisma.$transaction(async (transaction) => {
      await transaction.$queryRaw`SELECT value FROM revisions WHERE name = 'catalog' FOR UPDATE`;
      const isChanged = await work(transaction);
      if (!isChanged) return false;
      await transaction.revision.update({ where: { name: 'catalog' }, data: { value: { increment: 1 } } });
      await transaction.$queryRaw`SELECT pg_notify('gateway_catalog', '')::text`;
      return true;
    });
  }
}
