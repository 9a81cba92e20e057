import type { PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import { mapStoreFailure } from '../sign-in/map-store-failure.ts';
import { insertChange, type SignInChange } from '../sign-in/sign-in-change-store.ts';

export interface StoredPasskey {
  /** Credential id of WebAuthn, base64url. */
  id: string;
  userId: string;
  name: string;
  publicKey: Uint8Array<ArrayBuffer>;
  counter: bigint;
  transports: string[];
  createdAt: Date;
  usedAt: Date | null;
}

export type NewPasskey = Omit<StoredPasskey, 'createdAt' | 'usedAt'>;

const removedRows = z.array(z.object({ name: z.string() }));

/** Reads and writes passkeys. Methods throw DashboardError service_unavailable. */
export class PasskeyStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /** Lists the user's passkeys, oldest first. */
  async listOf(userId: string): Promise<StoredPasskey[]> {
    return await mapStoreFailure(
      this.#prisma.dashboardPasskey.findMany({ where: { userId }, orderBy: { createdAt: 'asc' } }),
    );
  }

  async find(id: string): Promise<StoredPasskey | undefined> {
    return (await mapStoreFailure(this.#prisma.dashboardPasskey.findUnique({ where: { id } }))) ?? undefined;
  }

  async add(passkey: NewPasskey, change: SignInChange): Promise<void> {
    await mapStoreFailure(
      this.#prisma.$transaction([
        this.#prisma.dashboardPasskey.create({ data: passkey }),
        insertChange(this.#prisma, change),
      ]),
    );
  }

  /**
   * Records a use.
   * @param counter uses that the authenticator has counted; 0: it does not count
   * @returns false if the passkey is gone, or another use has counted further: then it was copied
   */
  async use(id: string, counter: number): Promise<boolean> {
    const { count } = await mapStoreFailure(
      this.#prisma.dashboardPasskey.updateMany({
        where: { id, ...(counter > 0 && { counter: { lt: counter } }) },
        data: { counter, usedAt: new Date() },
      }),
    );
    return count > 0;
  }

  /** @returns false if the user has no such passkey */
  async remove(userId: string, id: string, changeOf: (name: string) => SignInChange): Promise<boolean> {
    return await mapStoreFailure(
      this.#prisma.$transaction(async (transaction) => {
        const [removed] = removedRows.parse(
          await transaction.$queryRaw`
            DELETE FROM dashboard_passkeys WHERE id = ${id} AND user_id = ${userId} RETURNING name`,
        );
        if (removed === undefined) return false;
        await insertChange(transaction, changeOf(removed.name));
        return true;
      }),
    );
  }
}
