import { z } from 'zod';
import { MAX_NAME_LENGTH } from './name-length.ts';
import { pool, usd } from './usage.ts';

export const seatEntry = z.object({
  id: z.string(),
  email: z.string(),
  isOwn: z.boolean(),
  createdAtMs: z.number(),
  activeKeys: z.number(),
  /** In this calendar month, UTC. */
  requestsThisMonth: z.number(),
  costThisMonthUsd: usd,
});
export type SeatEntry = z.infer<typeof seatEntry>;

/** A seat that is offered to an address, until the offer is accepted, withdrawn, renewed or expired. */
export const invitationEntry = z.object({
  id: z.string(),
  email: z.string(),
  createdAtMs: z.number(),
  expiresAtMs: z.number(),
});
export type InvitationEntry = z.infer<typeof invitationEntry>;

export const team = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(['owner', 'member']),
  /** The limit of all keys on its seats together. */
  requestsPerMinute: z.number(),
  createdAtMs: z.number(),
  /** For the owner all pools of the team and its seats; for a member the team's and their own seat's. */
  pools: z.array(pool),
  /** Active seats: all for the owner, only their own for a member. */
  seats: z.array(seatEntry),
  /** Open invitations, newest first, for the owner only. */
  invitations: z.array(invitationEntry),
});
export type Team = z.infer<typeof team>;

export const offeredSeatEntry = z.object({
  invitationId: z.string(),
  teamName: z.string(),
  /** The address to which it is offered. */
  email: z.string(),
  expiresAtMs: z.number(),
});
export type OfferedSeatEntry = z.infer<typeof offeredSeatEntry>;

/** GET /api/teams */
export const teamsResponse = z.object({
  teams: z.array(team),
  accountPools: z.array(pool),
  /** Seats that are offered to the account's address, if it is verified. */
  offeredSeats: z.array(offeredSeatEntry),
});
export type TeamsResponse = z.infer<typeof teamsResponse>;

/** POST /api/teams; answered with 201 and the team. */
export const createTeamRequest = z.object({
  name: z
    .string()
    .trim()
    .min(1, 'is missing')
    .max(MAX_NAME_LENGTH, `must have at most ${MAX_NAME_LENGTH} characters`),
});
export type CreateTeamRequest = z.infer<typeof createTeamRequest>;

/** POST /api/teams/:teamId/limit, by the owner; answered with 204. */
export const setTeamLimitRequest = z.object({ requestsPerMinute: z.number().int().min(1) });
export type SetTeamLimitRequest = z.infer<typeof setTeamLimitRequest>;

/** POST /api/teams/:teamId/seats, by the owner; answered with 201. */
export const addSeatRequest = z.object({ email: z.string().trim().max(254) });
export type AddSeatRequest = z.infer<typeof addSeatRequest>;
export const addSeatResponse = z.object({
  /** The id of the owner's own seat; null: the seat is offered. */
  seatId: z.string().nullable(),
  invitation: invitationEntry
    .extend({
      /** Works once, for any signed-in account. It cannot be shown again. */
      link: z.string(),
      /** True if the link was also mailed to the address. */
      isMailed: z.boolean(),
    })
    .nullable(),
});
export type AddSeatResponse = z.infer<typeof addSeatResponse>;

const invitationToken = z.string().min(1).max(200);

/** POST /api/invitations/find; answered with an offered seat. The token comes from the link. */
export const findInvitationRequest = z.object({ token: invitationToken });

/** POST /api/invitations/accept, status 201. By id only for invitations to the account's verified address. */
export const acceptInvitationRequest = z.union([
  z.object({ token: invitationToken }),
  z.object({ invitationId: z.string().min(1).max(100) }),
]);
export type AcceptInvitationRequest = z.infer<typeof acceptInvitationRequest>;
export const acceptInvitationResponse = z.object({ seatId: z.string(), teamId: z.string() });
export type AcceptInvitationResponse = z.infer<typeof acceptInvitationResponse>;

// POST /api/invitations/:invitationId/withdraw, without a body, by the owner; answered with 204.

/** POST /api/seats/:seatId/remove, without a body, by the owner */
export const removeSeatResponse = z.object({
  revokedKeys: z.number(),
  /** The same as for a revoked key. */
  refusedEverywhere: z.boolean(),
});
export type RemoveSeatResponse = z.infer<typeof removeSeatResponse>;

/**
 * POST /api/money/move, by the owner of both; answered with 204. Moves a part of a pool to the pool of the
 * given name there, which is created if there is none.
 */
export const moveMoneyRequest = z.object({
  fromPoolId: z.string(),
  /** Left out: the account. */
  to: z.union([z.object({ teamId: z.string() }), z.object({ seatId: z.string() })]).optional(),
  usd: z.string().regex(/^\d{1,9}(\.\d{1,9})?$/, 'must be US dollars such as 5.00'),
  name: z.string().trim().max(MAX_NAME_LENGTH, `must have at most ${MAX_NAME_LENGTH} characters`).default(''),
});
export type MoveMoneyRequest = z.input<typeof moveMoneyRequest>;
