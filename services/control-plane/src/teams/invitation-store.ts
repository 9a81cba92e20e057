import { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { lockForUser } from '../access/role-store.ts';
import type { Actor, UserActor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { PrismaStore, type Transaction } from '../database/prisma-store.ts';
import { isUniqueViolation } from '../database/unique-violation.ts';
import { alreadyExists, failedPrecondition } from '../errors/control-plane-error.ts';
import { seatResource } from '../seats/seat-resource.ts';
import type { StoredSeat } from '../seats/stored-seat.ts';
import { invitationResource } from './invitation-resource.ts';
import { aboutSeat, WITH_ACCOUNT } from './seat-store.ts';
import {
  type OfferedSeat,
  offeredSeat,
  type StoredInvitation,
  storedInvitation,
} from './stored-invitation.ts';

export type InvitationKey = { invitationId: string } | { tokenHash: string };

interface NewInvitation {
  id: string;
  teamId: string;
  email: string;
  /** Lower-case hex SHA-256. */
  tokenHash: string;
  validDays: number;
  /** Acts for the account that owns the team; undefined when an operator invites. */
  user: UserActor | undefined;
}

const COLUMNS = Prisma.sql`
  i.id, i.team_id AS "teamId", i.email, i.created_at AS "createdAt", i.expires_at AS "expiresAt"`;

export class InvitationStore extends PrismaStore {
  /**
   * Stores an invitation, replacing an earlier one of this address to this team.
   * @param maxOpen open invitations per team
   * @throws ControlPlaneError failed_precondition (too many open; the user has lost its role)
   */
  async offer(
    actor: Actor,
    { id, teamId, email, tokenHash, validDays, user }: NewInvitation,
    maxOpen: number,
  ): Promise<StoredInvitation> {
    return await this.prisma.$transaction(async (transaction) => {
      if (user !== undefined) await lockForUser(transaction, user, 'admin');
      // Serializes these calls, so that each counts the invitations of the others.
      const teams = await transaction.$executeRaw`
        SELECT FROM teams WHERE id = ${teamId} AND deleted_at IS NULL FOR NO KEY UPDATE`;
      if (teams === 0) throw failedPrecondition(`the team ${teamId} is deleted`);
      const others = { teamId, email: { not: email }, expiresAt: { gt: new Date() } };
      if ((await transaction.seatInvitation.count({ where: others })) >= maxOpen) {
        throw failedPrecondition(
          `a team has at most ${maxOpen} open invitations: withdraw one that is not needed any more`,
        );
      }
      const earlier = await transaction.seatInvitation.findFirst({ where: { teamId, email } });
      const rows = await transaction.$queryRaw`
        INSERT INTO seat_invitations AS i (id, team_id, email, token_hash, expires_at, invited_by)
        VALUES (${id}, ${teamId}, ${email}, ${tokenHash}, now() + make_interval(days => ${validDays}::int),
          ${user?.memberId ?? null})
        ON CONFLICT (team_id, email) DO UPDATE SET id = EXCLUDED.id, token_hash = EXCLUDED.token_hash,
          created_at = now(), expires_at = EXCLUDED.expires_at, invited_by = EXCLUDED.invited_by
        RETURNING ${COLUMNS}`;
      const [offered] = z.tuple([storedInvitation]).parse(rows);
      await recordChange(transaction, actor, {
        action: 'invite.sent',
        ...(await aboutInvitation(transaction, offered)),
        before: earlier && invitationResource(earlier),
        after: invitationResource(offered),
      });
      return offered;
    });
  }

  async listOfTeams(teamIds: readonly string[]): Promise<StoredInvitation[]> {
    if (teamIds.length === 0) return [];
    return await this.query(z.array(storedInvitation))`
      SELECT ${COLUMNS} FROM seat_invitations i
      WHERE i.team_id IN (${Prisma.join([...teamIds])}) AND i.expires_at > now()
      ORDER BY i.created_at DESC, i.id`;
  }

  async offeredTo(accountId: string): Promise<OfferedSeat[]> {
    return await this.query(z.array(offeredSeat))`
      SELECT ${COLUMNS}, t.name AS "teamName"
      FROM accounts a
      JOIN seat_invitations i ON i.email = a.email
      JOIN teams t ON t.id = i.team_id
      WHERE a.id = ${accountId} AND a.email_verified_at IS NOT NULL AND i.expires_at > now()
      ORDER BY i.created_at, i.id`;
  }

  async find(id: string): Promise<StoredInvitation | null> {
    const rows = await this.prisma.$queryRaw`
      SELECT ${COLUMNS} FROM seat_invitations i WHERE i.id = ${id} AND i.expires_at > now()`;
    return z.array(storedInvitation).parse(rows)[0] ?? null;
  }

  /** @param tokenHash lower-case hex SHA-256 of the token */
  async findByToken(tokenHash: string): Promise<OfferedSeat | null> {
    const rows = await this.prisma.$queryRaw`
      SELECT ${COLUMNS}, t.name AS "teamName" FROM seat_invitations i JOIN teams t ON t.id = i.team_id
      WHERE i.token_hash = ${tokenHash} AND i.expires_at > now()`;
    return z.array(offeredSeat).parse(rows)[0] ?? null;
  }

  async withdraw(actor: Actor, id: string): Promise<StoredInvitation | null> {
    return await this.prisma.$transaction(async (transaction) => {
      const rows = await transaction.$queryRaw`
        DELETE FROM seat_invitations i WHERE i.id = ${id} AND i.expires_at > now() RETURNING ${COLUMNS}`;
      const [withdrawn] = z.array(storedInvitation).parse(rows);
      if (withdrawn === undefined) return null;
      await recordChange(transaction, actor, {
        action: 'invite.deleted',
        ...(await aboutInvitation(transaction, withdrawn)),
        before: invitationResource(withdrawn),
        after: null,
      });
      return withdrawn;
    });
  }

  /**
   * Redeems an invitation for a seat, once.
   * @returns null when none is open for this account
   * @throws ControlPlaneError already_exists (active seat; the invitation stays open)
   */
  async accept(
    actor: UserActor,
    which: InvitationKey,
    { seatId, accountId }: { seatId: string; accountId: string },
  ): Promise<StoredSeat | null> {
    try {
      return await this.prisma.$transaction(async (transaction) => {
        // Locks the account before the invitation, in the order of the code that gives an account to another
        // sign-in: other orders deadlock.
        await transaction.$executeRaw`SELECT FROM accounts WHERE id = ${accountId} FOR KEY SHARE`;
        const isInvited =
          'tokenHash' in which
            ? Prisma.sql`i.token_hash = ${which.tokenHash}`
            : Prisma.sql`i.id = ${which.invitationId} AND EXISTS (
                SELECT FROM accounts a
                WHERE a.id = ${accountId} AND a.email = i.email AND a.email_verified_at IS NOT NULL
              )`;
        const used = await transaction.$queryRaw`
          DELETE FROM seat_invitations i WHERE ${isInvited} AND i.expires_at > now() RETURNING ${COLUMNS}`;
        const [accepted] = z.array(storedInvitation).parse(used);
        if (accepted === undefined) return null;
        const data = { id: seatId, teamId: accepted.teamId, accountId };
        const seat = await transaction.seat.create({ data, include: WITH_ACCOUNT });
        await recordChange(
          transaction,
          actor,
          {
            action: 'seat.created',
            ...(await aboutSeat(transaction, seat)),
            before: null,
            after: seatResource(seat),
          },
          {
            action: 'invite.accepted',
            ...(await aboutInvitation(transaction, accepted)),
            before: invitationResource(accepted),
            after: null,
          },
        );
        return seat;
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw alreadyExists('the account has a seat in this team');
    }
  }

  async prune(): Promise<void> {
    await this.prisma.$executeRaw`DELETE FROM seat_invitations WHERE expires_at <= now()`;
  }
}

/** Describes a change of an invitation for its audit event, which belongs to the owner of the team. */
async function aboutInvitation(transaction: Transaction, { id, teamId, email }: StoredInvitation) {
  const team = await transaction.team.findUniqueOrThrow({ where: { id: teamId } });
  return { object: { type: 'invitation', id, name: email }, accountId: team.ownerAccountId };
}
