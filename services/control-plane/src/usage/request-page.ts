/** Last request of a page; the next page begins after it, despite new settlements. */
export interface PagePlace {
  /** Unix milliseconds. */
  endedAtMs: number;
  /** Orders requests of the same millisecond. */
  requestId: string;
}

const PLACE = /^(\d{1,15})\.(.+)$/s;

/** @returns an opaque token */
export function encodePlace({ endedAtMs, requestId }: PagePlace): string {
  return Buffer.from(`${endedAtMs}.${requestId}`).toString('base64url');
}

/** @returns undefined for an invalid token */
export function decodePlace(token: string): PagePlace | undefined {
  const [, endedAtMs, requestId] = PLACE.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (endedAtMs === undefined || requestId === undefined || requestId.includes('\0')) return undefined;
  const place = { endedAtMs: Number(endedAtMs), requestId };
  return encodePlace(place) === token ? place : undefined;
}
