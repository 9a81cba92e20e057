import { z } from 'zod';
import { MAX_NAME_LENGTH } from './name-length.ts';
import { pool, usd } from './usage.ts';

export const seatEntry = z.object({
  id: z.string(),
  email: z.string(),
  isOwn: z.boolean(),
  createdAtMs: z.number(),
  activeKeys: z.number(),
  /** This calendar month, UTC. */
  requestsThisMonth: z.number(),
  costThisMonthUsd: usd,
});
export type SeatEntry = z.infer<typeof seatEntry>;

/** A seat that is offered to an address, until it is accepted, withdrawn, offered anew or expired. */
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
  /** What all keys on its seats may do together. */
  requestsPerMinute: z.number(),
  createdAtMs: z.number(),
  /** All of the team's and its seats' for the owner; the team's and the own seat's for a member. */
  pools: z.array(pool),
  /** Active ones: all for the owner, the own one for a member. */
  seats: z.array(seatEntry),
  /** Open ones, newest first, for the owner alone. */
  invitations: z.array(invitationEntry),
});
export type Team = z.infer<typeof team>;

/** A seat that is offered to whoever is signed in. */
export const offeredSeatEntry = z.object({
  invitationId: z.string(),
  teamName: z.string(),
  /** To which it is offered. */
  email: z.string(),
  expiresAtMs: z.number(),
});
export type OfferedSeatEntry = z.infer<typeof offeredSeatEntry>;

/** GET /api/teams */
export const teamsAnswer = z.object({
  teams: z.array(team),
  /** Pools of the account, from which money can be moved to a team. */
  accountPools: z.array(pool),
  /** To the account's address, if it is proven. */
  offeredSeats: z.array(offeredSeatEntry),
});
export type TeamsAnswer = z.infer<typeof teamsAnswer>;

/** POST /api/teams; answered with 201 and the team. */
export const createTeamRequest = z.object({
  name: z
    .string()
    .trim()
    .min(1, 'is missing')
    .max(MAX_NAME_LENGTH, `must have at most ${MAX_NAME_LENGTH} characters`),
});
export type CreateTeamRequest = z.infer<typeof createTeamRequest>;

/** POST /api/teams/:teamId/limit; answered with 204. Owners only, as all that follow. */
export const setTeamLimitRequest = z.object({ requestsPerMinute: z.number().int().min(1) });
export type SetTeamLimitRequest = z.infer<typeof setTeamLimitRequest>;

/** POST /api/teams/:teamId/seats; answered with 201. */
export const addSeatRequest = z.object({ email: z.string().trim().max(254) });
export type AddSeatRequest = z.infer<typeof addSeatRequest>;
export const addSeatAnswer = z.object({
  /** Of the owner's own seat; null: it is offered. */
  seatId: z.string().nullable(),
  invitation: invitationEntry
    .extend({
      /** Takes the seat, once, for whoever is signed in and has it; nobody can show it again. */
      link: z.string(),
      /** It is on its way to the address, too. */
      isMailed: z.boolean(),
    })
    .nullable(),
});
export type AddSeatAnswer = z.infer<typeof addSeatAnswer>;

const invitationToken = z.string().min(1).max(200);

/** POST /api/invitations/find; answered with an offered seat. The token comes from the link. */
export const findInvitationRequest = z.object({ token: invitationToken });
export type FindInvitationRequest = z.infer<typeof findInvitationRequest>;

/**
 * POST /api/invitations/accept; answered with 201. By its id: an invitation to the account's own, proven
 * address.
 */
export const acceptInvitationRequest = z.union([
  z.object({ token: invitationToken }),
  z.object({ invitationId: z.string().min(1).max(100) }),
]);
export type AcceptInvitationRequest = z.infer<typeof acceptInvitationRequest>;
export const acceptInvitationAnswer = z.object({ seatId: z.string(), teamId: z.string() });
export type AcceptInvitationAnswer = z.infer<typeof acceptInvitationAnswer>;

// POST /api/invitations/:invitationId/withdraw, without a body, by the owner; answered with 204.

/** POST /api/seats/:seatId/remove, without a body */
export const removeSeatAnswer = z.object({
  revokedKeys: z.number(),
  /** As for a revoked key. */
  refusedEverywhere: z.boolean(),
});
export type RemoveSeatAnswer = z.infer<typeof removeSeatAnswer>;

/**
 * POST /api/money/move; answered with 204. Takes a part of a pool to another owner's pool of the given name,
 * new if there is none.
 */
export const moveMoneyRequest = z.object({
  fromPoolId: z.string(),
  /** Left out: the account. */
  to: z.union([z.object({ teamId: z.string() }), z.object({ seatId: z.string() })]).optional(),
  usd: z.string().regex(/^\d{1,9}(\.\d{1,9})?$/, 'must be US dollars such as 5.00'),
  name: z.string().trim().max(MAX_NAME_LENGTH, `must have at most ${MAX_NAME_LENGTH} characters`).default(''),
});
export type MoveMoneyRequest = z.input<typeof moveMoneyRequest>;
