import type { Actor } from '../actors/actor.ts';
import type { WatcherWait } from '../data-planes/watcher-wait.ts';
import { type KnownListContext, requireKnownList } from '../price-lists/require-known-list.ts';
import type { AccountChanges, AccountStore, StoredAccount } from './account-store.ts';
import { type CalendarRequest, requireCalendar } from './change-account.ts';
import { checkLimit } from './check-limit.ts';
import { requireAccountName } from './create-account.ts';
import type { LimitChanges } from './set-limits.ts';

/** New values of an account. Absent members stay unchanged. */
export interface AccountPatch extends CalendarRequest {
  name?: string | undefined;
  externalId?: string | null | undefined;
  limits?: Partial<LimitChanges> | undefined;
  /** Mails of thresholds to its owners. */
  thresholdMails?: boolean | undefined;
  /** Only operators set it. Null: the default price list. */
  priceListId?: string | null | undefined;
}

/**
 * Changes several members of an account in one transaction, and returns when no data plane uses the old ones.
 * @returns `unconfirmed`: data planes that did not confirm in time
 * @throws ControlPlaneError invalid_argument, failed_precondition (deleted account), already_exists (external
 *   id), not_found (price list)
 */
export async function patchAccount(
  context: { accountStore: Pick<AccountStore, 'update'>; watcherWait: WatcherWait } & KnownListContext,
  actor: Actor,
  { accountId, patch }: { accountId: string; patch: AccountPatch },
): Promise<{ account: StoredAccount; unconfirmed: string[] }> {
  const { externalId, limits = {}, name, priceListId, thresholdMails } = patch;
  const changes: AccountChanges = {
    ...requireCalendar(patch),
    ...(name === undefined ? {} : { name: requireAccountName(name) }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(thresholdMails === undefined ? {} : { thresholdMails }),
    ...(await requireKnownList(context, priceListId)),
  };
  for (const [limit, column] of LIMITS) {
    const value = limits[column];
    if (value !== undefined) changes[column] = value === null ? null : checkLimit(limit, value);
  }
  const { account, revision } = await context.accountStore.update(actor, accountId, changes);
  const unconfirmed = revision === undefined ? [] : await context.watcherWait.until(revision);
  return { account, unconfirmed };
}

const LIMITS = [
  ['free_per_minute', 'freePerMinute'],
  ['paid_per_minute', 'paidPerMinute'],
  ['reads_per_minute', 'readsPerMinute'],
  ['concurrent_streams', 'concurrentStreams'],
] as const;
