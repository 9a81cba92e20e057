import { invalidArgument } from '../errors/control-plane-error.ts';

export interface ListRequest {
  /** 0 means as many rows as a page holds. */
  limit: number;
  pageToken?: string | undefined;
}

/** Last row of a page; the next page begins after it, despite additions and deletions. */
export interface ListCursor {
  createdAt: Date;
  /** Orders rows of the same millisecond. */
  id: string;
}

export interface ListQuery {
  limit: number;
  /** Undefined: start at the beginning. */
  after: ListCursor | undefined;
}

/** With this limit a page has a few hundred kilobytes, however many rows there are. */
const MAX_PAGE_LENGTH = 1_000;
const CURSOR = /^(\d{1,15})\.([\w-]{1,100})$/;

/** @throws ControlPlaneError invalid_argument */
export function parseListQuery({ limit, pageToken }: ListRequest): ListQuery {
  if (limit > MAX_PAGE_LENGTH) throw invalidArgument(`limit must be at most ${MAX_PAGE_LENGTH}`);
  return {
    limit: limit === 0 ? MAX_PAGE_LENGTH : limit,
    after: pageToken === undefined ? undefined : cursorOf(pageToken),
  };
}

/** @param rows one more than the limit when another page follows */
export function listPage<Row extends ListCursor>(
  rows: readonly Row[],
  { limit }: ListQuery,
): { rows: Row[]; next: { nextPageToken?: string } } {
  const listed = rows.slice(0, limit);
  const last = listed.at(-1);
  const isLastPage = last === undefined || rows.length <= limit;
  return { rows: listed, next: isLastPage ? {} : { nextPageToken: encodeListCursor(last) } };
}

export function encodeListCursor({ createdAt, id }: ListCursor): string {
  return Buffer.from(`${createdAt.getTime()}.${id}`).toString('base64url');
}

function cursorOf(token: string): ListCursor {
  const [, createdAtMs, id] = CURSOR.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (createdAtMs !== undefined && id !== undefined) {
    const cursor = { createdAt: new Date(Number(createdAtMs)), id };
    if (!Number.isNaN(cursor.createdAt.getTime()) && encodeListCursor(cursor) === token) return cursor;
  }
  throw invalidArgument('page_token must come from an earlier page');
}
