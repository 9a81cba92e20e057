import { z } from 'zod';

/** A group's place in its bucket: the values that it is grouped by, in the order of USAGE_GROUPINGS. */
export type GroupPlace = readonly string[];

const MAX_LENGTH = 4_096;
// A text of Postgres holds no NUL.
const place = z.array(z.string().refine((text) => !text.includes('\0'))).min(1);

/** @returns what callers hand back and need not understand */
export function encodeGroupPlace(values: GroupPlace): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/**
 * @param groupings by how many values groups are told apart
 * @returns undefined for what no page of such groups ever had
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
