import { z } from 'zod';

/** A group's place in its bucket: the values that it is grouped by, in the order of USAGE_GROUPINGS. */
export type GroupPlace = readonly string[];

const MAX_LENGTH = 4_096;
// Postgres accepts no text with a NUL.
const place = z.array(z.string().refine((text) => !text.includes('\0'))).min(1);

/** @returns a token that callers give back and need not understand */
export function encodeGroupPlace(values: GroupPlace): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/**
 * @param groupings how many values name a group
 * @returns undefined when no page of such groups ever had this token
 */
export function decodeGroupPlace(token: string, groupings: number): GroupPlace | undefined {
  if (token.length > MAX_LENGTH) return undefined;
  try {
    const { data } = place.safeParse(JSON.parse(Buffer.from(token, 'base64url').toString()));
    return data?.length === groupings ? data : undefined;
  } catch {
    return undefined;
  }
}
