import type { Logger } from '@model-gateway/service-kit';
import type { Actor } from '../actors/actor.ts';
import type { ContentsStore } from '../contents/contents-store.ts';
import { type RevocationContext, waitForRevocation } from '../data-planes/wait-for-revocation.ts';
import type { PoolStore } from '../pools/pool-store.ts';
import { type RemovePoolsContext, removePools } from '../pools/remove-pool.ts';
import type { AccountEndStore } from './account-end-store.ts';
import type { AccountStore } from './account-store.ts';

export interface DeleteAccountContext extends RevocationContext, RemovePoolsContext {
  accountStore: Pick<AccountStore, 'require'>;
  accountEndStore: Pick<AccountEndStore, 'delete'>;
  contentsStore: Pick<ContentsStore, 'prune'>;
  poolStore: Pick<PoolStore, 'idsOfAccount' | 'find'>;
  log: Logger;
}

/**
 * Deletes an account and its teams, and returns when no data plane accepts its keys. Removes the pools last,
 * when little of their money is held. Deletes contents of requests; usage records, receipts and ledger stay.
 * A repeated call finishes the rest.
 * @param request.account id or e-mail address
 * @throws ControlPlaneError not_found
 */
export async function deleteAccount(
  context: DeleteAccountContext,
  actor: Actor,
  request: { account: string },
) {
  const { id } = await context.accountStore.require(request.account);
  const { revision, ...deleted } = await context.accountEndStore.delete(actor, id);
  const { keyIds, seatIds, teamIds } = deleted;
  context.log.info(
    { account_id: id, deleted_team_ids: teamIds, removed_seat_ids: seatIds, revoked_key_ids: keyIds },
    'account deleted',
  );
  const unconfirmed = await waitForRevocation(context, revision);
  await context.contentsStore.prune(id);
  const deletedAt = deleted.account.deletedAt ?? new Date();
  const poolIds = await context.poolStore.idsOfAccount(id, deletedAt);
  const removedPools = await removePools(context, actor, { poolIds });
  return { ...deleted, removedPools, unconfirmed };
}
