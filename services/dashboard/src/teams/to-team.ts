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
import { toPool } from '../pools/to-pool.ts';

const { role: teamRole } = wire.shape;

export function toTeam({ team, role, pools, seats, invitations }: HolderTeamMessage): Team {
  if (team === null) throw new Error('the control plane sent a team without a team');
  return {
    ...toNewTeam(team),
    role: teamRole.parse(role),
    pools: pools.map(toPool),
    seats: seats.map(toSeatEntry),
    invitations: invitations.map(toInvitationEntry),
  };
}

/** Converts a team that has just been created: it is empty. */
export function toNewTeam({ id, name, requestsPerMinute, createdAtMs }: TeamMessage): Team {
  return {
    id,
    name,
    role: 'owner',
    requestsPerMinute,
    createdAtMs: Number(createdAtMs),
    pools: [],
    seats: [],
    invitations: [],
  };
}

export function toInvitationEntry({
  id,
  email,
  createdAtMs,
  expiresAtMs,
}: SeatInvitationMessage): InvitationEntry {
  return { id, email, createdAtMs: Number(createdAtMs), expiresAtMs: Number(expiresAtMs) };
}

export function toOfferedSeatEntry({ invitation, teamName }: OfferedSeatMessage): OfferedSeatEntry {
  if (invitation === null) throw new Error('the control plane sent an offered seat without an invitation');
  const { id, email, expiresAtMs } = invitation;
  return { invitationId: id, teamName, email, expiresAtMs: Number(expiresAtMs) };
}

function toSeatEntry(entry: HolderSeatMessage): SeatEntry {
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
