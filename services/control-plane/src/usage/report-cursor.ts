import { MAX_UNIX_SECONDS } from '@model-gateway/shared';
import { z } from 'zod';
import type { Period } from '../roll-ups/usage-sums-store.ts';
import type { GroupCursor } from './group-cursor.ts';

/** Start of a page, and the period, which all pages share although "now" moves on. */
export interface ReportCursor {
  period: Period;
  /** Start of the first bucket. */
  start: number;
  /** Last group of the previous page in that bucket; undefined: the bucket begins here. */
  after: GroupCursor | undefined;
}

const MAX_LENGTH = 8_192;
const seconds = z.int().min(0).max(MAX_UNIX_SECONDS);
// Postgres accepts no text with a NUL.
const value = z.string().refine((text) => !text.includes('\0'));
const cursor = z.tuple([seconds, seconds, seconds], value);

/** @returns an opaque token */
export function encodeReportCursor({ after = [], period, start }: ReportCursor): string {
  return Buffer.from(JSON.stringify([period.start, period.end, start, ...after])).toString('base64url');
}

/** @param groupings number of values per group @returns undefined for a token of another query */
export function decodeReportCursor(token: string, groupings: number): ReportCursor | undefined {
  if (token.length > MAX_LENGTH) return undefined;
  try {
    const { data } = cursor.safeParse(JSON.parse(Buffer.from(token, 'base64url').toString()));
    if (data === undefined) return undefined;
    const [from, end, start, ...after] = data;
    if (from >= end || (after.length !== 0 && after.length !== groupings)) return undefined;
    return { period: { start: from, end }, start, after: after.length === 0 ? undefined : after };
  } catch {
    return undefined;
  }
}
