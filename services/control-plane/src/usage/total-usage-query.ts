import type { GetTotalUsageRequestMessage } from '@model-gateway/contracts';
import { isUsageLabel, type UsageLabel } from '@model-gateway/shared';
import { z } from 'zod';
import { invalidArgument } from '../errors/control-plane-error.ts';
import type { Period } from '../roll-ups/usage-sums-store.ts';
import { isSummedByLabel, type LabelFilter, labelsAsked, parseLabelFilters } from './label-query.ts';
import { parsePeriod, widenPeriod } from './usage-query.ts';

const GROUPINGS = ['account', 'team', 'seat', 'key', 'model'] as const;
export type TotalGrouping = (typeof GROUPINGS)[number] | UsageLabel;

export interface TotalCursor {
  charged: bigint;
  requests: bigint;
  id: string;
}

export interface TotalUsageQuery {
  period: Period;
  groupBy: TotalGrouping;
  labelFilters: readonly LabelFilter[];
  /** True if daily sums have the labels of the query (isSummedByLabel). */
  isSummed: boolean;
  limit: number;
  /** Last group of the previous page; undefined: start with the most expensive. */
  after: TotalCursor | undefined;
}

const MAX_LIMIT = 1_000;
const count = z
  .string()
  .regex(/^\d{1,19}$/)
  .transform(BigInt);
const cursor = z.tuple([
  count,
  count,
  z
    .string()
    .max(1_000)
    .refine((text) => !text.includes('\0')),
]);

/**
 * @param minutesSince start of a day in Unix seconds; no minute sums before it
 * @throws ControlPlaneError invalid_argument
 */
export function parseTotalUsageQuery(
  request: GetTotalUsageRequestMessage,
  minutesSince: number,
): TotalUsageQuery {
  const groupBy = isUsageLabel(request.groupBy)
    ? request.groupBy
    : GROUPINGS.find((each) => each === request.groupBy);
  if (groupBy === undefined) {
    throw invalidArgument(`group_by must be one of ${GROUPINGS.join(', ')}, tag:<name>, end_user, session`);
  }
  const grouped = isUsageLabel(groupBy) ? [groupBy] : [];
  const labelFilters = parseLabelFilters(request.labels);
  const labels = labelsAsked(grouped, labelFilters);
  if (labels.length > 0 && request.account === undefined && request.teamId === undefined)
    throw invalidArgument(`usage by ${labels.join(' and ')} needs an account or a team`);
  const isSummed = isSummedByLabel(grouped, labelFilters, { byKey: groupBy === 'key', isByDay: true });
  if (request.limit < 1 || request.limit > MAX_LIMIT)
    throw invalidArgument(`limit must be 1 to ${MAX_LIMIT}`);
  return {
    period: widenPeriod(parsePeriod(request), minutesSince, { labels, isSummed }),
    groupBy,
    labelFilters,
    isSummed,
    limit: request.limit,
    after: request.pageToken === undefined ? undefined : decodeTotalCursor(request.pageToken),
  };
}

/** @returns an opaque token */
export function encodeTotalCursor({ charged, requests, id }: TotalCursor): string {
  return Buffer.from(JSON.stringify([String(charged), String(requests), id])).toString('base64url');
}

function decodeTotalCursor(token: string): TotalCursor {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch {
    value = undefined;
  }
  const { data } = cursor.safeParse(value);
  if (data === undefined)
    throw invalidArgument('page_token must come from an earlier page of the same query');
  const [charged, requests, id] = data;
  return { charged, requests, id };
}
