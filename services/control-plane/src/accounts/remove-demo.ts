import { DEMO_EMAIL } from '@model-gateway/shared';
import type { Actor } from '../actors/actor.ts';
import { failedPrecondition } from '../errors/control-plane-error.ts';
import type { PoolStore } from '../pools/pool-store.ts';
import { type RemovePoolsContext, removePools } from '../pools/remove-pool.ts';
import type { AccountEndStore } from './account-end-store.ts';
import { type SuspendAccountContext, suspendAccount } from './suspend-account.ts';

export interface RemoveDemoContext extends SuspendAccountContext, RemovePoolsContext {
  accountEndStore: Pick<AccountEndStore, 'findDemo' | 'purge' | 'suspend' | 'resume'>;
  poolStore: Pick<PoolStore, 'idsOfAccount'>;
}

export interface RemovedDemo {
  /** The deleted account; undefined: there was no made-up usage. */
  accountId: string | undefined;
  /** Deleted requests. */
  requests: bigint;
  unconfirmed: string[];
}

/**
 * Suspends the account with the made-up usage, and deletes it with all its data. An account with this address
 * but without made-up usage stays. A repeated call finishes the rest.
 * @throws ControlPlaneError failed_precondition (its requests still run)
 */
export async function removeDemo(context: RemoveDemoContext, actor: Actor): Promise<RemovedDemo> {
  const accountId = await context.accountEndStore.findDemo(DEMO_EMAIL);
  if (accountId === undefined) return { accountId, requests: 0n, unconfirmed: [] };
  const { unconfirmed } = await suspendAccount(context, actor, { account: accountId });
  const poolIds = await context.poolStore.idsOfAccount(accountId, new Date());
  await removePools(context, actor, { poolIds });
  const requests = await context.accountEndStore.purge(actor, accountId);
  if (requests === null) {
    throw failedPrecondition(`requests of ${DEMO_EMAIL} are still running: try again in a few seconds`);
  }
  context.log.info({ account_id: accountId, deleted_requests: String(requests) }, 'demo account removed');
  return { accountId, requests, unconfirmed };
}
