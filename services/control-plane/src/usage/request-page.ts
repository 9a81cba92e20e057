/** The last request of a page. The next page begins after it, whatever has been settled meanwhile. */
export interface PagePlace {
  /** Unix milliseconds. */
  endedAtMs: number;
  /** Tells requests of the same millisecond apart. */
  requestId: string;
}

const PLACE = /^(\d{1,15})\.(.+)$/s;

/** @returns a token that callers give back and need not understand */
export function encodePlace({ endedAtMs, requestId }: PagePlace): string {
  return Buffer.from(`${endedAtMs}.${requestId}`).toString('base64url');
}

/** @returns undefined when no page ever had this token */
export function decodePlace(token: string): PagePlace | undefined {
  const [, endedAtMs, requestId] = PLACE.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (endedAtMs === undefined || requestId === undefined || requestId.includes('\0')) return undefined;
  const place = { endedAtMs: Number(endedAtMs), requestId };
  return encodePlace(place) === token ? place : undefined;
}
