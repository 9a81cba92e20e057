import { Prisma } from '@model-gateway/database';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { announceKeyChanges } from '../data-planes/key-event-store.ts';
import { PrismaStore, type Transaction } from '../database/prisma-store.ts';
import { refuseDuplicates } from '../database/refuse-duplicates.ts';
import { failedPrecondition, notFound } from '../errors/control-plane-error.ts';
import type { StoredTeam } from './stored-team.ts';
import { teamResource } from './team-resource.ts';

export type TeamChanges = Partial<Pick<StoredTeam, 'name' | 'requestsPerMinute' | 'externalId'>>;

/** Columns of a row `t` of teams in the form of storedTeam. */
export const TEAM_COLUMNS = Prisma.sql`
  t.id, t.owner_account_id AS "ownerAccountId", t.name, t.requests_per_minute AS "requestsPerMinute",
  t.created_at AS "createdAt", t.deleted_at AS "deletedAt",
  t.external_id AS "externalId"`;

export class TeamStore extends PrismaStore {
  /** @throws ControlPlaneError already_exists (external id) */
  async create(actor: Actor, team: Omit<StoredTeam, 'createdAt' | 'deletedAt'>): Promise<StoredTeam> {
    return await refuseDuplicates('team', team.externalId, () =>
      this.prisma.$transaction(async (transaction) => {
        const created = await transaction.team.create({ data: team });
        await recordChange(transaction, actor, {
          action: 'team.created',
          ...aboutTeam(created),
          before: null,
          after: teamResource(created),
        });
        return created;
      }),
    );
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
   * Changes the given members, and makes data planes reload the keys on its seats if the limit is new.
   * @returns `revision` of the last event; undefined when no key is active
   * @throws ControlPlaneError already_exists (external id)
   */
  async change(
    actor: Actor,
    id: string,
    changes: TeamChanges,
  ): Promise<{ team: StoredTeam; revision: bigint | undefined }> {
    return await refuseDuplicates('team', changes.externalId, () =>
      this.prisma.$transaction(async (transaction) => {
        const before = await lockTeam(transaction, id);
        const team = await transaction.team.update({ where: { id }, data: changes });
        const isOnSeat = Prisma.sql`seat_id IN (SELECT seats.id FROM seats WHERE seats.team_id = ${id})`;
        const hasNewLimit = changes.requestsPerMinute !== undefined;
        const revision = hasNewLimit ? await announceKeyChanges(transaction, isOnSeat) : undefined;
        await recordChange(transaction, actor, {
          action: 'team.updated',
          ...aboutTeam(team),
          before: teamResource(before),
          after: teamResource(team),
        });
        return { team, revision };
      }),
    );
  }
}

/** Reads a team and keeps others from changing it until the commit. */
export async function lockTeam(transaction: Transaction, id: string): Promise<StoredTeam> {
  await transaction.$executeRaw`SELECT FROM teams WHERE id = ${id} FOR NO KEY UPDATE`;
  return await transaction.team.findUniqueOrThrow({ where: { id } });
}

/** Describes a change of a team for its audit event. */
export function aboutTeam({ id, name, ownerAccountId }: StoredTeam) {
  return { object: { type: 'team', id, name }, accountId: ownerAccountId };
}
