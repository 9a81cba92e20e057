import type { Logger } from '@model-gateway/service-kit';
import type { Actor } from '../actors/actor.ts';
import type { ReturnsWait } from '../billing/returns-wait.ts';
import type { WatcherWait } from '../data-planes/watcher-wait.ts';
import { failedPrecondition, notFound } from '../errors/control-plane-error.ts';
import { retryAfterReturns } from '../pools/retry-after-returns.ts';
import type { EndUserDeletionStore } from './end-user-deletion-store.ts';
import type { EndUserKey } from './stored-end-user.ts';

export interface DeleteEndUserContext {
  endUserDeletionStore: Pick<EndUserDeletionStore, 'delete'>;
  returnsWait: Pick<ReturnsWait, 'forReplies'>;
  watcherWait: Pick<WatcherWait, 'until'>;
  log: Logger;
}

/**
 * Deletes the data of an end user: its rules, and its id wherever usage names it. Sums of money and usage
 * stay the same. Returns when no data plane uses its rules.
 * @returns `unconfirmed`: data planes that did not confirm in time
 * @throws ControlPlaneError not_found, failed_precondition (its requests still run)
 */
export async function deleteEndUser(
  { endUserDeletionStore, log, returnsWait, watcherWait }: DeleteEndUserContext,
  actor: Actor,
  key: EndUserKey,
): Promise<{ requests: bigint; unconfirmed: string[] }> {
  const { requests, revision } = await retryAfterReturns(returnsWait, async () => {
    const outcome = await endUserDeletionStore.delete(actor, key);
    if (outcome === null) throw notFound('there is no such end user');
    return outcome;
  });
  if (requests === null) {
    throw failedPrecondition(
      'requests of the end user hold money within its budgets: repeat this when they have ended',
    );
  }
  // Ids of end users are personal data, so logs do not have them.
  log.info({ account_id: key.accountId, requests: Number(requests) }, 'end user deleted');
  return { requests, unconfirmed: revision === undefined ? [] : await watcherWait.until(revision) };
}
