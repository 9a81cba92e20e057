import type { HolderSeatMessage, HolderTeamMessage, TeamMessage } from '@model-gateway/contracts';
import { formatUsd } from '@model-gateway/shared';
import { type SeatEntry, type Team, team as wire } from '../../wire/teams.ts';
import { poolAnswer } from '../usage/pool.ts';

const { role: teamRole } = wire.shape;

export function teamAnswer({ team, role, pools, seats }: HolderTeamMessage): Team {
  if (team === null) throw new Error('the control plane sent a team without a team');
  return {
    ...newTeamAnswer(team),
    role: teamRole.parse(role),
    pools: pools.map(poolAnswer),
    seats: seats.map(seatEntry),
  };
}

/** One that has just been created: nothing is in it. */
export function newTeamAnswer({ id, name, requestsPerMinute, createdAtMs }: TeamMessage): Team {
  const createdAt = Number(createdAtMs);
  return { id, name, role: 'owner', requestsPerMinute, createdAtMs: createdAt, pools: [], seats: [] };
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
