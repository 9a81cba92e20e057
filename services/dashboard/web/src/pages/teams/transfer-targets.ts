import type { MoveMoneyRequest, Team } from '../../../../wire/teams.ts';
import type { Pool } from '../../../../wire/usage.ts';

interface TransferTarget {
  id: string;
  label: string;
  /** Undefined: the account. */
  to: MoveMoneyRequest['to'];
}

/** Lists where money of a pool can be moved within a team: everywhere but to its present owner. */
export function listTransferTargets(team: Team, from: Pool | undefined): TransferTarget[] {
  const all: TransferTarget[] = [
    { id: team.id, label: `Team ${team.name}`, to: { teamId: team.id } },
    ...team.seats.map(({ id, email, isOwn }) => ({
      id,
      label: isOwn ? 'Your seat' : `Seat of ${email}`,
      to: { seatId: id },
    })),
    { id: 'account', label: 'Your account', to: undefined },
  ];
  const fromId = from?.scope === 'account' ? 'account' : from?.ownerId;
  return all.filter(({ id }) => id !== fromId);
}
