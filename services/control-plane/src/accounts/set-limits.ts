import type { Actor } from '../actors/actor.ts';
import type { WatcherWait } from '../data-planes/watcher-wait.ts';
import type { AccountStore, StoredAccount } from './account-store.ts';
import { checkLimit } from './check-limit.ts';
import type { OwnLimits } from './effective-limits.ts';

/** Null sets the default, undefined changes nothing. */
export type LimitChanges = { [Limit in keyof OwnLimits]: number | null | undefined };

/**
 * Changes limits and returns when no data plane uses the old ones, waiting as for a revocation.
 * @param request.account id or e-mail address
 * @returns `unconfirmed`: data planes that did not confirm in time
 * @throws ControlPlaneError not_found, invalid_argument, failed_precondition (deleted account)
 */
export async function setLimits(
  context: { accountStore: AccountStore; watcherWait: WatcherWait },
  actor: Actor,
  { account, ...changes }: { account: string } & LimitChanges,
): Promise<{ account: StoredAccount; unconfirmed: string[] }> {
  const given: Partial<OwnLimits> = {};
  for (const limit of LIMITS) {
    const value = changes[limit];
    if (value !== undefined) given[limit] = value === null ? null : checkLimit(NAMES[limit], value);
  }
  const stored = await context.accountStore.requireNotDeleted(account);
  if (Object.keys(given).length === 0) return { account: stored, unconfirmed: [] };
  const { account: changed, revision } = await context.accountStore.setLimits(actor, stored.id, given);
  const unconfirmed = revision === undefined ? [] : await context.watcherWait.until(revision);
  return { account: changed, unconfirmed };
}

const NAMES: Record<keyof OwnLimits, string> = {
  freePerMinute: 'free_per_minute',
  paidPerMinute: 'paid_per_minute',
  readsPerMinute: 'reads_per_minute',
  concurrentStreams: 'concurrent_streams',
};

const LIMITS = ['freePerMinute', 'paidPerMinute', 'readsPerMinute', 'concurrentStreams'] as const;
