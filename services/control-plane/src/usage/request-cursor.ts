/** Last request of a page; the next page begins after it, despite new settlements. */
export interface RequestCursor {
  /** Unix milliseconds. */
  endedAtMs: number;
  /** Orders requests of the same millisecond. */
  requestId: string;
}

const CURSOR = /^(\d{1,15})\.(.+)$/s;

/** @returns an opaque token */
export function encodeRequestCursor({ endedAtMs, requestId }: RequestCursor): string {
  return Buffer.from(`${endedAtMs}.${requestId}`).toString('base64url');
}

/** @returns undefined for an invalid token */
export function decodeRequestCursor(token: string): RequestCursor | undefined {
  const [, endedAtMs, requestId] = CURSOR.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (endedAtMs === undefined || requestId === undefined || requestId.includes('\0')) return undefined;
  const cursor = { endedAtMs: Number(endedAtMs), requestId };
  return encodeRequestCursor(cursor) === token ? cursor : undefined;
}
