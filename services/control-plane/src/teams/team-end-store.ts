import { Prisma, type PrismaClient } from '@model-gateway/database';
import { z } from 'zod';
import { lastEvent, lockListedKeys, REVOCABLE, revokeKeys, UNEXPIRED } from '../keys/key-event-store.ts';
import type { StoredTeam } from './team-store.ts';

const idRows = z.array(z.object({ id: z.string() }));

export interface TeamDeleted {
  team: StoredTeam;
  seatIds: string[];
  keyIds: string[];
  /** The last one at which a key of the team was revoked; undefined: nobody has to hear of any. */
  revision: bigint | undefined;
}

/** Ends teams, in Postgres. */
export class TeamEndStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /**
   * Takes a team out of use with its seats, their keys and its invitations. The seats are locked before the team,
   * as where keys are issued on them, and those that were given out meanwhile are ended with the others. Repeated,
   * it says when data planes heard of it.
   * @param id of a team that exists
   */
  async delete(id: string): Promise<TeamDeleted> {
    return await this.#prisma.$transaction(async (transaction) => {
      await transaction.$executeRaw`
        SELECT FROM seats WHERE team_id = ${id} ORDER BY id FOR NO KEY UPDATE`;
      await transaction.$executeRaw`
        UPDATE teams SET deleted_at = coalesce(deleted_at, now()) WHERE id = ${id}`;
      await transaction.seatInvitation.deleteMany({ where: { teamId: id } });
      const seats = idRows.parse(
        await transaction.$queryRaw`
          UPDATE seats SET removed_at = now() WHERE team_id = ${id} AND removed_at IS NULL RETURNING id`,
      );
      const all = Prisma.sql`seat_id IN (SELECT s.id FROM seats s WHERE s.team_id = ${id})`;
      const which = Prisma.sql`${all} AND ${REVOCABLE} AND ${UNEXPIRED}`;
      const keyIds = await lockListedKeys(transaction, which);
      const revision =
        (await revokeKeys(transaction, which)) ?? (await lastEvent(transaction, 'revoked', all));
      const team = await transaction.team.findUniqueOrThrow({ where: { id } });
      return { team, seatIds: seats.map((seat) => seat.id), keyIds, revision };
    });
  }
}
