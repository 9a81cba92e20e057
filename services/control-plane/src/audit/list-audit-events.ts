import { invalidArgument } from '../errors/control-plane-error.ts';
import { encodeListCursor, parseListQuery } from '../lists/list-page.ts';
import type { AuditEvent, AuditFilter, AuditListStore } from './audit-list-store.ts';

export interface AuditListContext {
  auditListStore: Pick<AuditListStore, 'list' | 'cursorOf'>;
}

export interface AuditListRequest {
  filter: AuditFilter;
  /** 0: as many as a page holds. */
  limit: number;
  /** Id of the last event of an earlier page. */
  cursor?: string | undefined;
}

export interface AuditPage {
  events: AuditEvent[];
  /** Undefined on the last page. */
  nextCursor: string | undefined;
}

const MAX_PAGE_LENGTH = 200;

/**
 * Lists audit events, newest first.
 * @throws ControlPlaneError invalid_argument (limit, cursor)
 */
export async function listAuditEvents(
  { auditListStore }: AuditListContext,
  { filter, limit, cursor }: AuditListRequest,
  signal: AbortSignal,
): Promise<AuditPage> {
  if (limit > MAX_PAGE_LENGTH) throw invalidArgument(`limit must be at most ${MAX_PAGE_LENGTH}`);
  const after = cursor === undefined ? undefined : await auditListStore.cursorOf(cursor, signal);
  if (cursor !== undefined && after === undefined) {
    throw invalidArgument('cursor must be the id of the last event of an earlier page');
  }
  const length = limit === 0 ? MAX_PAGE_LENGTH : limit;
  const found = await auditListStore.list({ filter, first: 'newest', after, limit: length }, signal);
  const events = found.slice(0, length);
  return { events, nextCursor: found.length > length ? events.at(-1)?.id : undefined };
}

/**
 * Lists the events of an account for its members, as they may see them.
 * @throws ControlPlaneError invalid_argument (limit, cursor)
 */
export async function listHolderAuditEvents(
  context: AuditListContext,
  accountId: string,
  { filter, ...request }: AuditListRequest,
  signal: AbortSignal,
): Promise<AuditPage> {
  const page = await listAuditEvents(context, { ...request, filter: { ...filter, accountId } }, signal);
  return { ...page, events: page.events.map(asHoldersSee) };
}

/**
 * Leaves out the price list of the account, and the address of another actor than a user: operators have them
 * in their own network.
 */
export function asHoldersSee(event: AuditEvent): AuditEvent {
  const { actor } = event;
  return {
    ...event,
    actor: actor.type === 'user' ? actor : { ...actor, ip: null },
    before: withoutPriceList(event.before),
    after: withoutPriceList(event.after),
  };
}

function withoutPriceList(resource: AuditEvent['before']): AuditEvent['before'] {
  if (resource?.price_list_id === undefined) return resource;
  const { price_list_id: _, ...seen } = resource;
  return seen;
}

/** Returns one page of events, oldest first. @throws ControlPlaneError invalid_argument (page token) */
export async function exportAuditLog(
  { auditListStore }: AuditListContext,
  { since, pageToken }: { since?: Date | undefined; pageToken?: string | undefined },
  signal: AbortSignal,
): Promise<{ events: AuditEvent[]; nextPageToken: string | undefined }> {
  const query = parseListQuery({ limit: 0, pageToken });
  const found = await auditListStore.list({ ...query, filter: { since }, first: 'oldest' }, signal);
  const events = found.slice(0, query.limit);
  const last = events.at(-1);
  const isLastPage = last === undefined || found.length <= query.limit;
  return {
    events,
    nextPageToken: isLastPage ? undefined : encodeListCursor({ createdAt: last.at, id: last.id }),
  };
}
