import { z } from 'zod';

/** Values of a group in its bucket, in the order of USAGE_GROUPINGS. */
export type GroupPlace = readonly string[];

const MAX_LENGTH = 4_096;
// Postgres accepts no text with a NUL.
const place = z.array(z.string().refine((text) => !text.includes('\0'))).min(1);

/** @returns an opaque token */
export function encodeGroupPlace(values: GroupPlace): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** @param groupings number of values per group @returns undefined for a token of other groups */
export function decodeGroupPlace(token: string, groupings: number): GroupPlace | undefined {
  if (token.length > MAX_LENGTH) return undefined;
  try {
    const { data } = place.safeParse(JSON.parse(Buffer.from(token, 'base64url').toString()));
    return data?.length === groupings ? data : undefined;
  } catch {
    return undefined;
  }
}
