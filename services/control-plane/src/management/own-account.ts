import type { ManagementActor } from '../actors/actor.ts';
import { invalidArgument, notFound } from '../errors/control-plane-error.ts';
import type { StoredSeat } from '../seats/stored-seat.ts';
import type { SeatStore } from '../teams/seat-store.ts';
import type { StoredTeam } from '../teams/stored-team.ts';
import type { TeamStore } from '../teams/team-store.ts';

/**
 * Requires an object that the admin key may see; treats objects of other accounts as missing.
 * @param accountId of the object
 * @param what kind and id of the object, such as `key key_1`
 * @throws ControlPlaneError not_found
 */
export function requireOwn(actor: ManagementActor, accountId: string, what: string): void {
  if (actor.accountId !== undefined && actor.accountId !== accountId) throw notFound(`there is no ${what}`);
}

/**
 * Returns the account whose objects a list shows; undefined: all accounts. A key that is bound to an account
 * lists that account's.
 * @throws ControlPlaneError not_found (another account)
 */
export function listedAccount(actor: ManagementActor, requested: string | undefined): string | undefined {
  if (requested !== undefined) requireOwn(actor, requested, `account ${requested}`);
  return requested ?? actor.accountId;
}

/**
 * Returns the account for a new object.
 * @throws ControlPlaneError not_found (another account), invalid_argument (none is named)
 */
export function accountForNew(actor: ManagementActor, requested: string | undefined): string {
  const accountId = listedAccount(actor, requested);
  if (accountId === undefined) throw invalidArgument('account_id: is required');
  return accountId;
}

/** Finds a team, deleted or not, that the admin key may see. @throws ControlPlaneError not_found */
export async function requireOwnTeam(
  { teamStore }: { teamStore: Pick<TeamStore, 'require'> },
  actor: ManagementActor,
  id: string,
): Promise<StoredTeam> {
  const team = await teamStore.require(id);
  requireOwn(actor, team.ownerAccountId, `team ${id}`);
  return team;
}

/**
 * Finds a seat, removed or not, that the admin key may see: one of a team of its account.
 * @throws ControlPlaneError not_found
 */
export async function requireOwnSeat(
  { seatStore, teamStore }: { seatStore: Pick<SeatStore, 'find'>; teamStore: Pick<TeamStore, 'require'> },
  actor: ManagementActor,
  id: string,
): Promise<StoredSeat> {
  const seat = await seatStore.find(id);
  if (seat === null) throw notFound(`there is no seat ${id}`);
  const { ownerAccountId } = await teamStore.require(seat.teamId);
  requireOwn(actor, ownerAccountId, `seat ${id}`);
  return seat;
}
