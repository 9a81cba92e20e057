import type { RulesOwnerMessage } from '@model-gateway/contracts';
import { hasRole } from '@model-gateway/shared/access';
import type { RulesReport } from '@model-gateway/shared/rules';
import { requireRole } from '../access/authorize-user.ts';
import type { UserActor } from '../actors/actor.ts';
import { notFound, permissionDenied } from '../errors/control-plane-error.ts';
import { requireVisibleKey } from '../keys/revoke-key.ts';
import {
  type OwnedSeatContext,
  type OwnedTeamContext,
  requireOwnedSeat,
  requireOwnedTeam,
} from '../teams/ownership.ts';
import type { SeatStore } from '../teams/seat-store.ts';
import type { TeamStore } from '../teams/team-store.ts';
import { getRules, type RulesContext, setRules } from './set-rules.ts';

export interface HolderRulesContext extends RulesContext {
  teamStore: RulesContext['teamStore'] & OwnedTeamContext['teamStore'] & TeamStore;
  seatStore: OwnedSeatContext['seatStore'] & SeatStore;
}

/**
 * Returns rules of the account, its keys, end users, teams and their seats; the holder of a seat also sees
 * those of that. Of keys, a developer sees those that it made; seats and end users of others, with what they
 * have spent, are for an admin.
 * @throws ControlPlaneError not_found, permission_denied (member, role), invalid_argument
 */
export async function getHolderRules(
  context: HolderRulesContext,
  actor: UserActor,
  { owner }: { owner: RulesOwnerMessage | null },
): Promise<RulesReport> {
  const seat = owner?.kind === 'seat' ? await context.seatStore.find(owner.id) : null;
  if (seat?.accountId !== actor.accountId) await requireOwned(context, actor, owner);
  return await getRules(context, owner);
}

/**
 * Does the same as `setRules`, for an admin of the account; for a developer those of keys that it made. Rules
 * of the account itself belong to the operator: no other rules can raise their caps.
 * @throws ControlPlaneError also permission_denied (the account itself; role; a seat in a team of others)
 */
export async function setHolderRules(
  context: HolderRulesContext,
  actor: UserActor,
  request: { owner: RulesOwnerMessage | null; rulesJson: string },
): Promise<{ report: RulesReport; unconfirmed: string[] }> {
  // Checks the role before the owner: a developer sees some seats and teams, so NOT_FOUND would be wrong.
  if (request.owner?.kind !== 'key') requireRole(actor, 'admin');
  await requireOwned(context, actor, request.owner);
  if (request.owner?.kind === 'account')
    throw permissionDenied('rules of an account are set by its operator');
  return await setRules(context, actor, request);
}

async function requireOwned(
  context: HolderRulesContext,
  actor: UserActor,
  owner: RulesOwnerMessage | null,
): Promise<void> {
  const { accountId, role = 'viewer' } = actor;
  // Another kind is refused by findRulesOwner.
  const { id = '', kind } = owner ?? {};
  if (kind === 'key') await requireVisibleKey(context, actor, id);
  else if (kind === 'seat') {
    if (!hasRole(role, 'admin')) throw notFound(`there is no seat ${id}`);
    await requireOwnedSeat(context, accountId, id);
  } else if (kind === 'team') await requireOwnedTeam(context, accountId, id);
  else if (id !== accountId) throw notFound(`there is no account ${id}`);
  if (kind === 'end_user') requireRole(actor, 'admin');
}
