import type { PrismaClient } from '@model-gateway/database';
import { mapStoreFailure } from '../sign-in/map-store-failure.ts';

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

  async add(passkey: NewPasskey): Promise<void> {
    await mapStoreFailure(this.#prisma.dashboardPasskey.create({ data: passkey }));
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

  /** @returns its name; undefined if the user has no such passkey */
  async remove(userId: string, id: string): Promise<string | undefined> {
    const removed = await mapStoreFailure(
      this.#prisma.dashboardPasskey.findUnique({ where: { id, userId }, select: { name: true } }),
    );
    await mapStoreFailure(this.#prisma.dashboardPasskey.deleteMany({ where: { id, userId } }));
    return removed?.name;
  }
}
