import { type Calendar, isTimezone, WEEK_DAYS } from '@model-gateway/shared/rules';
import type { Actor } from '../actors/actor.ts';
import type { WatcherWait } from '../data-planes/watcher-wait.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { type KnownListContext, requireKnownList } from '../price-lists/require-known-list.ts';
import type { AccountStore, StoredAccount } from './account-store.ts';

export interface CalendarRequest {
  timezone?: string | undefined;
  weekStarts?: string | undefined;
}

interface AccountRequest extends CalendarRequest {
  account: string;
  externalId?: string | undefined;
  priceListId?: string | null | undefined;
}

const MAX_EXTERNAL_ID_LENGTH = 255;

/**
 * Changes calendar, external id and price list of an account, and returns when no data plane uses the old
 * ones, as for a revocation.
 * @param request.account id or e-mail address
 * @param request.priceListId only operators set it; null: the default one
 * @returns `unconfirmed`: data planes that did not confirm in time
 * @throws ControlPlaneError not_found, invalid_argument, failed_precondition (deleted account),
 *   already_exists (external id)
 */
export async function changeAccount(
  context: { accountStore: AccountStore; watcherWait: WatcherWait } & KnownListContext,
  actor: Actor,
  { account, externalId, priceListId, ...request }: AccountRequest,
): Promise<{ account: StoredAccount; unconfirmed: string[] }> {
  const changes = {
    ...requireCalendar(request),
    ...requireExternalId(externalId),
    ...(await requireKnownList(context, priceListId)),
  };
  const stored = await context.accountStore.requireNotDeleted(account);
  const { account: changed, revision } = await context.accountStore.update(actor, stored.id, changes);
  const unconfirmed = revision === undefined ? [] : await context.watcherWait.until(revision);
  return { account: changed, unconfirmed };
}

/** Validates the given members of a calendar. @throws ControlPlaneError invalid_argument */
export function requireCalendar({ timezone, weekStarts }: CalendarRequest): Partial<Calendar> {
  const day = WEEK_DAYS.find((known) => known === weekStarts);
  if (weekStarts !== undefined && day === undefined)
    throw invalidArgument(`week_starts must be one of ${WEEK_DAYS.join(', ')}, not "${weekStarts}"`);
  if (timezone !== undefined && !isTimezone(timezone))
    throw invalidArgument(`there is no time zone "${timezone}": use an IANA name such as Europe/Berlin`);
  return {
    ...(timezone === undefined ? {} : { timezone }),
    ...(day === undefined ? {} : { weekStarts: day }),
  };
}

/** Validates an external id. @param id undefined: none is given @throws ControlPlaneError invalid_argument */
export function requireExternalId(id: string | undefined): { externalId?: string } {
  if (id === undefined) return {};
  if (id !== '' && id.length <= MAX_EXTERNAL_ID_LENGTH) return { externalId: id };
  throw invalidArgument(`an external_id has 1 to ${MAX_EXTERNAL_ID_LENGTH} characters`);
}
