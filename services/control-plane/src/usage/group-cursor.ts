import { z } from 'zod';

/** Values of a group in its bucket, in the order of USAGE_GROUPINGS, then of the labels in the query. */
export type GroupCursor = readonly string[];

const MAX_LENGTH = 8_192;
// Postgres accepts no text with a NUL.
const cursor = z.array(z.string().refine((text) => !text.includes('\0'))).min(1);

/** @returns an opaque token */
export function encodeGroupCursor(values: GroupCursor): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** @param groupings number of values per group @returns undefined for a token of other groups */
export function decodeGroupCursor(token: string, groupings: number): GroupCursor | undefined {
  if (token.length > MAX_LENGTH) return undefined;
  try {
    const { data } = cursor.safeParse(JSON.parse(Buffer.from(token, 'base64url').toString()));
    return data?.length === groupings ? data : undefined;
  } catch {
    return undefined;
  }
}
