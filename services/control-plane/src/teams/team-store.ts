import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { announceKeyChanges } from '../data-planes/key-event-store.ts';
import { PrismaStore } from '../database/prisma-store.ts';
import { failedPrecondition, notFound } from '../errors/control-plane-error.ts';

export const storedTeam = z.object({
  id: z.string(),
  ownerAccountId: z.string(),
  name: z.string(),
  requestsPerMinute: z.number(),
  createdAt: z.date(),
  deletedAt: z.date().nullable(),
  externalId: z.string().nullable(),
});
export type StoredTeam = z.infer<typeof storedTeam>;

/** Columns of a row `t` of teams in the form of storedTeam. */
export const TEAM_COLUMNS = Prisma.sql`
  t.id, t.owner_account_id AS "ownerAccountId", t.name, t.requests_per_minute AS "requestsPerMinute",
  t.created_at AS "createdAt", t.deleted_at AS "deletedAt",
  t.external_id AS "externalId"`;

export class TeamStore extends PrismaStore {
  async create(team: Omit<StoredTeam, 'createdAt' | 'deletedAt' | 'externalId'>): Promise<StoredTeam> {
    return await this.prisma.team.create({ data: team });
  }

  async findNotDeleted(id: string): Promise<StoredTeam | null> {
    return await this.prisma.team.findUnique({ where: { id, deletedAt: null } });
  }

  /** @throws ControlPlaneError not_found, failed_precondition (the team is deleted) */
  async requireNotDeleted(id: string): Promise<StoredTeam> {
    const team = await this.require(id);
    if (team.deletedAt === null) return team;
    throw failedPrecondition(`the team ${id} is deleted`);
  }

  /** Finds a team, deleted or not. @throws ControlPlaneError not_found */
  async require(id: string): Promise<StoredTeam> {
    const team = await this.prisma.team.findUnique({ where: { id } });
    if (team === null) throw notFound(`there is no team ${id}`);
    return team;
  }

  /**
   * Changes the limit and tells data planes to forget the keys on its seats.
   * @returns `revision` of the last event; undefined when no key is active
   */
  async setLimit(
    id: string,
    requestsPerMinute: number,
  ): Promise<{ team: StoredTeam; revision: bigint | undefined }> {
    return await this.prisma.$transaction(async (transaction) => {
      const team = await transaction.team.update({ where: { id }, data: { requestsPerMinute } });
      const revision = await announceKeyChanges(
        transaction,
        Prisma.sql`seat_id IN (SELECT seats.id FROM seats WHERE seats.team_id = ${id})`,
      );
      return { team, revision };
    });
  }
}
