import { Prisma } from '@model-gateway/database';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { type ChangedKeys, lastChanged, revokeKeys, UNEXPIRED } from '../data-planes/key-event-store.ts';
import { PrismaStore, type Transaction } from '../database/prisma-store.ts';
import { refuseDuplicates } from '../database/refuse-duplicates.ts';
import { isUniqueViolation } from '../database/unique-violation.ts';
import { alreadyExists, failedPrecondition } from '../errors/control-plane-error.ts';
import { endedWith } from '../seats/ended-with.ts';
import { seatResource } from '../seats/seat-resource.ts';
import type { StoredSeat } from '../seats/stored-seat.ts';

interface NewSeat {
  id: string;
  teamId: string;
  accountId: string;
  externalId?: string | null;
}

export const WITH_ACCOUNT = { account: { select: { email: true } } } as const;

export class SeatStore extends PrismaStore {
  /** @throws ControlPlaneError already_exists, failed_precondition (the team was deleted just now) */
  async create(actor: Actor, seat: NewSeat): Promise<StoredSeat> {
    try {
      return await this.prisma.$transaction(async (transaction) => {
        await requireTeam(transaction, seat.teamId);
        const created = await transaction.seat.create({ data: seat, include: WITH_ACCOUNT });
        await recordChange(transaction, actor, {
          action: 'seat.created',
          ...(await aboutSeat(transaction, created)),
          before: null,
          after: seatResource(created),
        });
        return created;
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      const active = await this.findActive(seat.teamId, seat.accountId);
      if (active === null) throw alreadyExists(`there is a seat with the external_id ${seat.externalId}`);
      throw alreadyExists(`the account has a seat in the team ${seat.teamId}`);
    }
  }

  /**
   * @param externalId null: none
   * @returns null: there is no such seat
   * @throws ControlPlaneError already_exists (external id)
   */
  async setExternalId(actor: Actor, id: string, externalId: string | null): Promise<StoredSeat | null> {
    return await refuseDuplicates('seat', externalId, () =>
      this.prisma.$transaction(async (transaction) => {
        const before = await lockSeat(transaction, id);
        if (before === null) return null;
        const seat = await transaction.seat.update({
          where: { id },
          data: { externalId },
          include: WITH_ACCOUNT,
        });
        await recordChange(transaction, actor, {
          action: 'seat.updated',
          ...(await aboutSeat(transaction, seat)),
          before: seatResource(before),
          after: seatResource(seat),
        });
        return seat;
      }),
    );
  }

  async findActive(teamId: string, accountId: string): Promise<StoredSeat | null> {
    const where = { teamId, accountId, removedAt: null };
    return await this.prisma.seat.findFirst({ where, include: WITH_ACCOUNT });
  }

  async find(id: string): Promise<StoredSeat | null> {
    return await findSeat(this.prisma, id);
  }

  /**
   * Removes the seat and revokes its keys in one transaction, seat first, so that no key is issued meanwhile.
   */
  async remove(actor: Actor, id: string): Promise<void> {
    await this.prisma.$transaction(async (transaction) => {
      const before = await lockSeat(transaction, id);
      if (before === null) return;
      const removed = await transaction.$executeRaw`
        UPDATE seats SET removed_at = now() WHERE id = ${id} AND removed_at IS NULL`;
      if (removed > 0) await revokeKeys(transaction, Prisma.sql`seat_id = ${id} AND ${UNEXPIRED}`);
      const after = await findSeat(transaction, id);
      const keyIds = removed > 0 && after !== null ? await keysRevokedWith(transaction, after) : [];
      await recordChange(transaction, actor, {
        action: 'seat.removed',
        ...(await aboutSeat(transaction, before)),
        before: seatResource(before),
        after: after && { ...seatResource(after), ...endedWith({ keyIds }) },
      });
    });
  }

  /**
   * Moves a seat and revokes the keys others have on it; repeatable.
   * @throws ControlPlaneError already_exists, failed_precondition (removed seat)
   */
  async move(actor: Actor, id: string, accountId: string): Promise<ChangedKeys> {
    const others = Prisma.sql`seat_id = ${id} AND account_id <> ${accountId}`;
    try {
      return await this.prisma.$transaction(async (transaction) => {
        const before = await lockSeat(transaction, id);
        const moved = await transaction.$executeRaw`
          UPDATE seats SET account_id = ${accountId} WHERE id = ${id} AND removed_at IS NULL`;
        if (before === null || moved === 0) throw failedPrecondition(`the seat ${id} has been removed`);
        const revision = await revokeKeys(transaction, Prisma.sql`${others} AND ${UNEXPIRED}`);
        const changed = await lastChanged(transaction, 'revoked', others);
        const after = await findSeat(transaction, id);
        const keyIds = revision === undefined ? [] : changed.keyIds;
        await recordChange(transaction, actor, {
          action: 'seat.moved',
          ...(await aboutSeat(transaction, after ?? before)),
          before: seatResource(before),
          after: after && { ...seatResource(after), ...endedWith({ keyIds }) },
        });
        return changed;
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw alreadyExists('the account has a seat in this team');
    }
  }

  /** Returns keys revoked together with the seat, not earlier, oldest first. */
  async keysRevokedWith(seat: StoredSeat): Promise<string[]> {
    return await keysRevokedWith(this.prisma, seat);
  }
}

async function keysRevokedWith(
  database: Pick<Transaction, 'apiKey'>,
  { id, removedAt }: StoredSeat,
): Promise<string[]> {
  if (removedAt === null) return [];
  const keys = await database.apiKey.findMany({
    where: { seatId: id, revokedAt: { gte: removedAt } },
    select: { id: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return keys.map((key) => key.id);
}

async function findSeat(database: Pick<Transaction, 'seat'>, id: string): Promise<StoredSeat | null> {
  return await database.seat.findUnique({ where: { id }, include: WITH_ACCOUNT });
}

/** Reads a seat and keeps others from changing it until the commit. */
async function lockSeat(transaction: Transaction, id: string): Promise<StoredSeat | null> {
  await transaction.$executeRaw`SELECT FROM seats WHERE id = ${id} FOR UPDATE`;
  return await findSeat(transaction, id);
}

/** Describes a change of a seat for its audit event, which belongs to the owner of the team. */
export async function aboutSeat(transaction: Transaction, { id, teamId, account }: StoredSeat) {
  const team = await transaction.team.findUniqueOrThrow({ where: { id: teamId } });
  return { object: { type: 'seat', id, name: account.email }, accountId: team.ownerAccountId };
}

/** Prevents a new seat in a team being deleted. @throws ControlPlaneError failed_precondition */
async function requireTeam(transaction: Transaction, teamId: string): Promise<void> {
  const rows = await transaction.$executeRaw`
    SELECT FROM teams WHERE id = ${teamId} AND deleted_at IS NULL FOR SHARE`;
  if (rows === 0) throw failedPrecondition(`the team ${teamId} is deleted`);
}
