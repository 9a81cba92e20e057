import type {
  HolderSeatMessage,
  HolderTeamMessage,
  OfferedSeatMessage,
  SeatInvitationMessage,
  TeamMessage,
} from '@model-gateway/contracts';
import { formatUsd } from '@model-gateway/shared';
import {
  type InvitationEntry,
  type OfferedSeatEntry,
  type SeatEntry,
  type Team,
  team as wire,
} from '../../wire/teams.ts';
import { poolAnswer } from '../pools/pool-answer.ts';

const { role: teamRole } = wire.shape;

export function teamAnswer({ team, role, pools, seats, invitations }: HolderTeamMessage): Team {
  if (team === null) throw new Error('the control plane sent a team without a team');
  return {
    ...newTeamAnswer(team),
    role: teamRole.parse(role),
    pools: pools.map(poolAnswer),
    seats: seats.map(seatEntry),
    invitations: invitations.map(invitationEntry),
  };
}

/** Converts a team that has just been created: it is empty. */
export function newTeamAnswer({ id, name, requestsPerMinute, createdAtMs }: TeamMessage): Team {
  const createdAt = Number(createdAtMs);
  return {
    ...{ id, name, role: 'owner', requestsPerMinute, createdAtMs: createdAt },
    ...{ pools: [], seats: [], invitations: [] },
  };
}

export function invitationEntry({
  id,
  email,
  createdAtMs,
  expiresAtMs,
}: SeatInvitationMessage): InvitationEntry {
  return { id, email, createdAtMs: Number(createdAtMs), expiresAtMs: Number(expiresAtMs) };
}

export function offeredSeatEntry({ invitation, teamName }: OfferedSeatMessage): OfferedSeatEntry {
  if (invitation === null) throw new Error('the control plane sent an offered seat without an invitation');
  const { id, email, expiresAtMs } = invitation;
  return { invitationId: id, teamName, email, expiresAtMs: Number(expiresAtMs) };
}

function seatEntry(entry: HolderSeatMessage): SeatEntry {
  const { seat } = entry;
  if (seat === null) throw new Error('the control plane sent a seat without a seat');
  return {
    id: seat.id,
    email: seat.accountEmail,
    isOwn: entry.isOwn,
    createdAtMs: Number(seat.createdAtMs),
    activeKeys: entry.activeKeys,
    requestsThisMonth: Number(entry.requestsThisMonth),
    costThisMonthUsd: formatUsd(BigInt(entry.costThisMonth)),
  };
}
