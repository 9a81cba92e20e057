import { z } from 'zod';
import type { SealedRow } from '../credentials/stored-credential-store.ts';
import { PrismaStore } from '../database/prisma-store.ts';

const existsRows = z.tuple([z.object({ exists: z.boolean() })]);

export class WebhookSecretStore extends PrismaStore {
  /** Returns true if every secret is sealed with this pepper alone. */
  async hasOnly(pepperFingerprint: string): Promise<boolean> {
    const [{ exists }] = await this.query(existsRows)`
      SELECT EXISTS (SELECT FROM webhook_secrets WHERE pepper_fingerprint <> ${pepperFingerprint}) AS exists`;
    return !exists;
  }

  /** Adds and deletes the rows that `renew` returns for the current ones. */
  async renew(
    renew: (rows: readonly SealedRow[]) => { add: SealedRow[]; forget: SealedRow[] },
  ): Promise<void> {
    await this.prisma.$transaction(async (transaction) => {
      const rows = await transaction.webhookSecret.findMany();
      const { add, forget } = renew(rows);
      const first = new Map(rows.map((row) => [row.name, row]));
      const data = add.flatMap(({ name, pepperFingerprint, sealed }) => {
        const row = first.get(name);
        return row === undefined ? [] : [{ ...row, pepperFingerprint, sealed: new Uint8Array(sealed) }];
      });
      await transaction.webhookSecret.createMany({ data, skipDuplicates: true });
      for (const { name, pepperFingerprint } of forget) {
        await transaction.webhookSecret.deleteMany({ where: { name, pepperFingerprint } });
      }
    });
  }

  /** Deletes secrets whose time is over. */
  async prune(): Promise<void> {
    await this.prisma.webhookSecret.deleteMany({ where: { expiresAt: { lt: new Date() } } });
  }
}
