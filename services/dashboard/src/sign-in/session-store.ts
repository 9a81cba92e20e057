import type { PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import { mapStoreFailure } from './map-store-failure.ts';
import { insertChange, type SignInChange } from './sign-in-change-store.ts';

export interface StoredSession {
  id: string;
  /** Address and name (User-Agent) of the browser that signed in. */
  ipAddress: string | null;
  userAgent: string | null;
  signInWay: string | null;
  createdAt: Date;
  usedAt: Date;
}

const endedRows = z.array(z.object({ id: z.string() }));

/** Reads and writes sessions. Methods throw DashboardError service_unavailable. */
export class SessionStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /** Lists the user's open sessions, the last used first. */
  async listOf(userId: string): Promise<StoredSession[]> {
    return await mapStoreFailure(
      this.#prisma.dashboardSession.findMany({
        where: { userId, expiresAt: { gt: new Date() } },
        select: {
          id: true,
          ipAddress: true,
          userAgent: true,
          signInWay: true,
          createdAt: true,
          usedAt: true,
        },
        orderBy: { usedAt: 'desc' },
      }),
    );
  }

  /**
   * @param change left out: the end has no event in the audit log
   * @returns false if the user has no such session
   */
  async end(userId: string, id: string, change?: SignInChange): Promise<boolean> {
    return await mapStoreFailure(
      this.#prisma.$transaction(async (transaction) => {
        const { count } = await transaction.dashboardSession.deleteMany({ where: { id, userId } });
        if (count > 0 && change !== undefined) await insertChange(transaction, change);
        return count > 0;
      }),
    );
  }

  /** Ends the user's sessions but one. @returns their ids */
  async endOthers(userId: string, keptId: string, changeOf: (id: string) => SignInChange): Promise<string[]> {
    return await mapStoreFailure(
      this.#prisma.$transaction(async (transaction) => {
        const others = endedRows.parse(
          await transaction.$queryRaw`
            DELETE FROM dashboard_sessions WHERE user_id = ${userId} AND id <> ${keptId} RETURNING id`,
        );
        for (const { id } of others) await insertChange(transaction, changeOf(id));
        return others.map(({ id }) => id);
      }),
    );
  }

  /** Records that the session's user has just proved who they are. */
  async prove(id: string): Promise<void> {
    await mapStoreFailure(
      this.#prisma.$executeRaw`UPDATE dashboard_sessions SET proved_at = now() WHERE id = ${id}`,
    );
  }

  /** Records that the session is in use. */
  async use(id: string): Promise<void> {
    await mapStoreFailure(
      this.#prisma.$executeRaw`UPDATE dashboard_sessions SET used_at = now() WHERE id = ${id}`,
    );
  }

  /** Shows an account as its owner sees it; null: the user's own accounts again. */
  async setViewedAccount(id: string, accountId: string | null): Promise<void> {
    await mapStoreFailure(
      this.#prisma
        .$executeRaw`UPDATE dashboard_sessions SET viewed_account_id = ${accountId} WHERE id = ${id}`,
    );
  }

  /** Shows the user's own accounts again, unless the session shows another account meanwhile. */
  async endView(id: string, accountId: string): Promise<void> {
    await mapStoreFailure(
      this.#prisma.$executeRaw`
        UPDATE dashboard_sessions SET viewed_account_id = NULL
        WHERE id = ${id} AND viewed_account_id = ${accountId}`,
    );
  }

  /** Chooses the account that the session's pages show, and ends a view; null: the user's own. */
  async setActiveAccount(id: string, accountId: string | null): Promise<void> {
    await mapStoreFailure(
      this.#prisma
        .$executeRaw`UPDATE dashboard_sessions SET active_account_id = ${accountId}, viewed_account_id = NULL
        WHERE id = ${id}`,
    );
  }
}
