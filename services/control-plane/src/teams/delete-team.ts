import type { Logger } from '@model-gateway/service-kit';
import type { Actor } from '../actors/actor.ts';
import { type RevocationContext, waitForRevocation } from '../data-planes/wait-for-revocation.ts';
import type { PoolStore } from '../pools/pool-store.ts';
import { type RemovePoolsContext, removePools } from '../pools/remove-pool.ts';
import type { TeamEndStore } from './team-end-store.ts';
import type { TeamStore } from './team-store.ts';

export interface DeleteTeamContext extends RevocationContext, RemovePoolsContext {
  teamStore: Pick<TeamStore, 'require'>;
  teamEndStore: Pick<TeamEndStore, 'delete'>;
  poolStore: Pick<PoolStore, 'idsOfTeam'>;
  log: Logger;
}

/**
 * Deletes a team and returns when no data plane accepts a key on its seats. Removes pools last; billing
 * records stay. A repeated call finishes the rest.
 * @throws ControlPlaneError not_found
 */
export async function deleteTeam(context: DeleteTeamContext, actor: Actor, { teamId }: { teamId: string }) {
  const { id } = await context.teamStore.require(teamId);
  const { revision, ...deleted } = await context.teamEndStore.delete(actor, id);
  const { keyIds, seatIds } = deleted;
  context.log.info({ team_id: id, removed_seat_ids: seatIds, revoked_key_ids: keyIds }, 'team deleted');
  const unconfirmed = await waitForRevocation(context, revision);
  const deletedAt = deleted.team.deletedAt ?? new Date();
  const poolIds = await context.poolStore.idsOfTeam(id, deletedAt);
  const removedPools = await removePools(context, actor, { poolIds });
  return { ...deleted, removedPools, unconfirmed };
}
