import { Prisma } from '@model-gateway/database';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { type ChangedKeys, lastChanged, revokeKeys, UNEXPIRED } from '../data-planes/key-event-store.ts';
import { PrismaStore } from '../database/prisma-store.ts';
import { endedWith } from '../seats/ended-with.ts';
import type { StoredTeam } from './stored-team.ts';
import { teamResource } from './team-resource.ts';
import { aboutTeam, lockTeam } from './team-store.ts';

export interface DeletedTeam extends ChangedKeys {
  team: StoredTeam;
  seatIds: string[];
}

export class TeamEndStore extends PrismaStore {
  /**
   * Deletes a team with its seats, keys and invitations; repeatable. Locks seats before the team, as issuing
   * a key does, and ends seats given out meanwhile.
   */
  async delete(actor: Actor, id: string): Promise<DeletedTeam> {
    return await this.prisma.$transaction(async (transaction) => {
      await transaction.$executeRaw`
        SELECT FROM seats WHERE team_id = ${id} ORDER BY id FOR NO KEY UPDATE`;
      const before = await lockTeam(transaction, id);
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
      const changed = await lastChanged(transaction, 'revoked', which, since);
      const ended = before.deletedAt === null ? endedWith({ keyIds: changed.keyIds, seatIds }) : {};
      await recordChange(transaction, actor, {
        action: 'team.deleted',
        ...aboutTeam(team),
        before: teamResource(before),
        after: { ...teamResource(team), ...ended },
      });
      return { team, seatIds, ...changed };
    });
  }
}
