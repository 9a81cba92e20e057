import { invalidArgument } from '../errors/control-plane-error.ts';
import { parsePageQuery } from './page-query.ts';
import { parseStatusRange } from './receipt-list-query.ts';
import type { FoundRefusal, RefusalFilter, RefusalListStore } from './refusal-list-store.ts';
import { encodeRequestCursor, type RequestCursor } from './request-cursor.ts';

interface RefusalsRequest extends Omit<RefusalFilter, 'status' | 'startMs' | 'endMs' | 'after'> {
  /** Such as `429` or `4xx`. */
  status?: string | undefined;
  startMs?: string;
  endMs?: string;
  pageToken?: string;
}

/**
 * Returns one page of the requests of all accounts that were refused before any provider, for operators. A
 * page may be short although more follow.
 * @throws ControlPlaneError invalid_argument
 */
export async function listRefusals(
  { refusalListStore: store }: { refusalListStore: Pick<RefusalListStore, 'search' | 'lastScanned'> },
  { pageToken, status, ...request }: RefusalsRequest,
  signal: AbortSignal,
) {
  const range = status === undefined ? undefined : parseStatusRange(status);
  if (status !== undefined && range === undefined)
    throw invalidArgument('status must be one such as 429 or 4xx');
  const filter = { ...request, ...parsePageQuery({ ...request, pageToken }), status: range };
  const rows = await store.search(filter, signal);
  const refusals = rows.slice(0, filter.limit);
  const next =
    rows.length > refusals.length ? cursorOf(refusals.at(-1)) : await store.lastScanned(filter, signal);
  return {
    refusals,
    ...(next === undefined
      ? {}
      : { nextPageToken: encodeRequestCursor(next), searchedBackToMs: next.endedAtMs }),
  };
}

function cursorOf(row: FoundRefusal | undefined): RequestCursor | undefined {
  return row && { endedAtMs: row.lastAt.getTime(), requestId: row.id };
}
