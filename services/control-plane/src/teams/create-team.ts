import { newId, TEAM_REQUESTS_PER_MINUTE } from '@model-gateway/shared';
import type { AccountStore } from '../accounts/account-store.ts';
import { checkLimit } from '../accounts/check-limit.ts';
import type { Actor } from '../actors/actor.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import type { StoredTeam } from './stored-team.ts';
import type { TeamStore } from './team-store.ts';

/**
 * @param request.account id or e-mail address of the owner
 * @throws ControlPlaneError not_found, invalid_argument (name, limit), failed_precondition (deleted account),
 *   already_exists (external id)
 */
export async function createTeam(
  context: { accountStore: AccountStore; teamStore: TeamStore },
  actor: Actor,
  request: {
    account: string;
    name: string;
    requestsPerMinute?: number | undefined;
    externalId?: string | undefined;
  },
): Promise<StoredTeam> {
  const name = checkTeamName(request.name);
  const limit = request.requestsPerMinute ?? TEAM_REQUESTS_PER_MINUTE;
  const requestsPerMinute = checkLimit('requests_per_minute', limit);
  const owner = await context.accountStore.requireNotDeleted(request.account);
  return await context.teamStore.create(actor, {
    id: newId('team'),
    ownerAccountId: owner.id,
    name,
    requestsPerMinute,
    externalId: request.externalId ?? null,
  });
}

/** @throws ControlPlaneError invalid_argument */
export function checkTeamName(given: string): string {
  const name = given.trim();
  if (name.length >= 1 && name.length <= 200) return name;
  throw invalidArgument('a team needs a name of 1 to 200 characters');
}
