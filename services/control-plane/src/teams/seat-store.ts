import { Prisma, type PrismaClient } from '@model-gateway/database';
import { ControlPlaneError } from '../control-plane-error.ts';
import { isUniqueViolation } from '../database/unique-violation.ts';
import { revokeKeys, UNEXPIRED } from '../keys/key-event-store.ts';

export interface StoredSeat {
  id: string;
  teamId: string;
  accountId: string;
  account: { email: string };
  createdAt: Date;
  removedAt: Date | null;
}

export const WITH_ACCOUNT = { account: { select: { email: true } } } as const;

/** The seats of teams in Postgres. */
export class SeatStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /**
   * @param seat of a team and an account that exist
   * @throws ControlPlaneError already_exists
   */
  async create(seat: { id: string; teamId: string; accountId: string }): Promise<StoredSeat> {
    try {
      return await this.#prisma.seat.create({ data: seat, include: WITH_ACCOUNT });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new ControlPlaneError('already_exists', `the account has a seat in the team ${seat.teamId}`);
    }
  }

  /** The account's active seat in the team. */
  async findActive(teamId: string, accountId: string): Promise<StoredSeat | null> {
    const where = { teamId, accountId, removedAt: null };
    return await this.#prisma.seat.findFirst({ where, include: WITH_ACCOUNT });
  }

  async find(id: string): Promise<StoredSeat | null> {
    return await this.#prisma.seat.findUnique({ where: { id }, include: WITH_ACCOUNT });
  }

  /**
   * Removes the seat, if it is not yet, and revokes its active keys in the same transaction. The seat comes
   * first: from then on no key can be issued on it, and every key that was is seen.
   */
  async remove(id: string): Promise<void> {
    await this.#prisma.$transaction(async (transaction) => {
      const removed = await transaction.$executeRaw`
        UPDATE seats SET removed_at = now() WHERE id = ${id} AND removed_at IS NULL`;
      if (removed > 0) await revokeKeys(transaction, Prisma.sql`seat_id = ${id} AND ${UNEXPIRED}`);
    });
  }

  /**
   * The last revision at which a key of the seat was revoked; undefined when that is too long ago to matter,
   * or none was.
   */
  async lastRevocationOf(id: string): Promise<bigint | undefined> {
    const keys = await this.#prisma.apiKey.findMany({ where: { seatId: id }, select: { id: true } });
    const event = await this.#prisma.keyEvent.findFirst({
      where: { keyId: { in: keys.map((key) => key.id) }, revoked: true },
      orderBy: { revision: 'desc' },
    });
    return event?.revision;
  }

  /** Ids of the keys that were revoked with the seat, not before; oldest first. */
  async keysRevokedWith({ id, removedAt }: StoredSeat): Promise<string[]> {
    if (removedAt === null) return [];
    const keys = await this.#prisma.apiKey.findMany({
      where: { seatId: id, revokedAt: { gte: removedAt } },
      select: { id: true },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    return keys.map((key) => key.id);
  }
}
