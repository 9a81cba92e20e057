import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { type ChangedKeys, lastChanged, revokeKeys, UNEXPIRED } from '../data-planes/key-event-store.ts';
import { PrismaStore } from '../database/prisma-store.ts';
import { isUniqueViolation } from '../database/unique-violation.ts';
import { alreadyExists, failedPrecondition } from '../errors/control-plane-error.ts';

export const storedSeat = z.object({
  id: z.string(),
  teamId: z.string(),
  accountId: z.string(),
  account: z.object({ email: z.string() }),
  createdAt: z.date(),
  removedAt: z.date().nullable(),
  externalId: z.string().nullable(),
});
export type StoredSeat = z.infer<typeof storedSeat>;

export const WITH_ACCOUNT = { account: { select: { email: true } } } as const;

export class SeatStore extends PrismaStore {
  /** @throws ControlPlaneError already_exists, failed_precondition (the team was deleted just now) */
  async create(seat: { id: string; teamId: string; accountId: string }): Promise<StoredSeat> {
    try {
      return await this.prisma.$transaction(async (transaction) => {
        await lockTeam(transaction, seat.teamId);
        return await transaction.seat.create({ data: seat, include: WITH_ACCOUNT });
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw alreadyExists(`the account has a seat in the team ${seat.teamId}`);
    }
  }

  async findActive(teamId: string, accountId: string): Promise<StoredSeat | null> {
    const where = { teamId, accountId, removedAt: null };
    return await this.prisma.seat.findFirst({ where, include: WITH_ACCOUNT });
  }

  async find(id: string): Promise<StoredSeat | null> {
    return await this.prisma.seat.findUnique({ where: { id }, include: WITH_ACCOUNT });
  }

  /**
   * Removes the seat and revokes its keys in one transaction, seat first, so that no key is issued meanwhile.
   */
  async remove(id: string): Promise<void> {
    await this.prisma.$transaction(async (transaction) => {
      const removed = await transaction.$executeRaw`
        UPDATE seats SET removed_at = now() WHERE id = ${id} AND removed_at IS NULL`;
      if (removed > 0) await revokeKeys(transaction, Prisma.sql`seat_id = ${id} AND ${UNEXPIRED}`);
    });
  }

  /**
   * Moves a seat and revokes the keys others have on it; repeatable.
   * @throws ControlPlaneError already_exists, failed_precondition (removed seat)
   */
  async move(id: string, accountId: string): Promise<ChangedKeys> {
    const others = Prisma.sql`seat_id = ${id} AND account_id <> ${accountId}`;
    try {
      return await this.prisma.$transaction(async (transaction) => {
        const moved = await transaction.$executeRaw`
          UPDATE seats SET account_id = ${accountId} WHERE id = ${id} AND removed_at IS NULL`;
        if (moved === 0) throw failedPrecondition(`the seat ${id} has been removed`);
        await revokeKeys(transaction, Prisma.sql`${others} AND ${UNEXPIRED}`);
        return await lastChanged(transaction, 'revoked', others);
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw alreadyExists('the account has a seat in this team');
    }
  }

  /** Returns keys revoked together with the seat, not earlier, oldest first. */
  async keysRevokedWith({ id, removedAt }: StoredSeat): Promise<string[]> {
    if (removedAt === null) return [];
    const keys = await this.prisma.apiKey.findMany({
      where: { seatId: id, revokedAt: { gte: removedAt } },
      select: { id: true },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    return keys.map((key) => key.id);
  }
}

/** Prevents a new seat in a team being deleted. @throws ControlPlaneError failed_precondition */
async function lockTeam(transaction: Prisma.TransactionClient, teamId: string): Promise<void> {
  const rows = await transaction.$executeRaw`
    SELECT FROM teams WHERE id = ${teamId} AND deleted_at IS NULL FOR SHARE`;
  if (rows === 0) throw failedPrecondition(`the team ${teamId} is deleted`);
}
