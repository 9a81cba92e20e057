import type { PoolOwnerMessage } from '@model-gateway/contracts';
import { LEVEL_KINDS, type LevelKind } from '@model-gateway/shared';
import type { AccountStore } from '../accounts/account-store.ts';
import { invalidArgument, notFound } from '../errors/control-plane-error.ts';
import type { PoolOwner } from '../pools/pool-store.ts';
import type { SeatStore } from '../teams/seat-store.ts';
import type { TeamStore } from '../teams/team-store.ts';

export interface PoolOwnerContext {
  accountStore: Pick<AccountStore, 'require'>;
  teamStore: Pick<TeamStore, 'require'>;
  seatStore: Pick<SeatStore, 'find'>;
}

/** @throws ControlPlaneError invalid_argument (kind), not_found */
export async function findPoolOwner(
  { accountStore, teamStore, seatStore }: PoolOwnerContext,
  message: PoolOwnerMessage | null,
): Promise<PoolOwner & { removed: boolean }> {
  const find: Record<LevelKind, (id: string) => Promise<PoolOwner & { removed: boolean }>> = {
    async account(idOrEmail) {
      const { id, deletedAt } = await accountStore.require(idOrEmail);
      return { kind: 'account', id, removed: deletedAt !== null };
    },
    async team(teamId) {
      const { id, deletedAt } = await teamStore.require(teamId);
      return { kind: 'team', id, removed: deletedAt !== null };
    },
    async seat(seatId) {
      const seat = await seatStore.find(seatId);
      if (seat === null) throw notFound(`there is no seat ${seatId}`);
      return { kind: 'seat', id: seat.id, removed: seat.removedAt !== null };
    },
  };
  const { kind, id } = parsePoolOwner(message, 'a pool belongs to an account, a team or a seat: name one');
  return await find[kind](id);
}

export function parsePoolOwner(message: PoolOwnerMessage | null, problem: string): PoolOwner {
  const kind = LEVEL_KINDS.find((each) => each === message?.kind);
  if (message === null || kind === undefined) throw invalidArgument(problem);
  return { kind, id: message.id };
}
