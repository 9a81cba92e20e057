import { Prisma } from '@model-gateway/database';
import { type ChangedKeys, lastChanged, revokeKeys, UNEXPIRED } from '../data-planes/key-event-store.ts';
import { PrismaStore } from '../database/prisma-store.ts';
import type { StoredTeam } from './team-store.ts';

export interface DeletedTeam extends ChangedKeys {
  team: StoredTeam;
  seatIds: string[];
}

export class TeamEndStore extends PrismaStore {
  /**
   * Deletes a team with its seats, keys and invitations; repeatable. Locks seats before the team, as issuing
   * a key does, and ends seats given out meanwhile.
   */
  async delete(id: string): Promise<DeletedTeam> {
    return await this.prisma.$transaction(async (transaction) => {
      await transaction.$executeRaw`
        SELECT FROM seats WHERE team_id = ${id} ORDER BY id FOR NO KEY UPDATE`;
      await transaction.$executeRaw`
        UPDATE teams SET deleted_at = coalesce(deleted_at, now()) WHERE id = ${id}`;
      await transaction.seatInvitation.deleteMany({ where: { teamId: id } });
      await transaction.$executeRaw`
        UPDATE seats SET removed_at = now() WHERE team_id = ${id} AND removed_at IS NULL`;
      const which = Prisma.sql`seat_id IN (SELECT s.id FROM seats s WHERE s.team_id = ${id})`;
      await revokeKeys(transaction, Prisma.sql`${which} AND ${UNEXPIRED}`);
      const team = await transaction.team.findUniqueOrThrow({ where: { id } });
      const since = team.deletedAt;
      const seats = await transaction.seat.findMany({
        where: { teamId: id, ...(since === null ? {} : { removedAt: { gte: since } }) },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      });
      const seatIds = seats.map((seat) => seat.id);
      return { team, seatIds, ...(await lastChanged(transaction, 'revoked', which, since)) };
    });
  }
}
