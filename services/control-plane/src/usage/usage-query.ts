import type { GetUsageRequestMessage } from '@model-gateway/contracts';
import {
  BUCKET_WIDTHS,
  isUsageLabel,
  MAX_LABELS,
  MAX_MODELS_ASKED,
  MAX_UNIX_SECONDS,
  USAGE_GROUPINGS,
  type UsageLabel,
  utcDay,
} from '@model-gateway/shared';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { requireKeyOwner, type StoredKeyOwner } from '../keys/require-key-owner.ts';
import type { Period } from '../roll-ups/usage-sums-store.ts';
import { decodeGroupCursor, type GroupCursor } from './group-cursor.ts';
import { isSummedByLabel, type LabelFilter, labelsAsked, parseLabelFilters } from './label-query.ts';

export type Grouping = (typeof USAGE_GROUPINGS)[number];

export interface UsageQuery {
  owner: StoredKeyOwner;
  /** Only usage of keys that this member made; undefined: all. */
  memberId: string | undefined;
  /** In whole minutes; in whole hours where minutes are deleted. */
  period: Period;
  /** Seconds; 0: the period is one bucket. */
  width: number;
  groupBy: ReadonlySet<Grouping>;
  /** Labels to group by, after `groupBy`. */
  labels: readonly UsageLabel[];
  labelFilters: readonly LabelFilter[];
  /** True if daily sums have the labels of the query (isSummedByLabel). */
  isSummed: boolean;
  models: readonly string[];
  limit: number;
  pageStart: number | undefined;
  /** Last group of the previous page in the first bucket; undefined: the bucket begins here. */
  after: GroupCursor | undefined;
}

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
/** Maximum groups per page: about 10 ms and half a megabyte. */
export const MAX_GROUPS = 2_000;
const BUCKETS = Object.values(BUCKET_WIDTHS);
const WHOLE_PERIOD = { seconds: 0, maxLimit: MAX_GROUPS };

/**
 * @param minutesSince start of a day in Unix seconds; no minute sums before it
 * @throws ControlPlaneError invalid_argument
 */
export function parseUsageQuery(
  request: GetUsageRequestMessage,
  minutesSince: number,
  memberId?: string,
): UsageQuery {
  const owner = requireKeyOwner(request.owner);
  const { start, end } = parsePeriod(request);
  const width = [...BUCKETS, WHOLE_PERIOD].find((each) => each.seconds === request.bucketWidth);
  if (width === undefined) {
    const choice = BUCKETS.map((each) => each.seconds).join(', ');
    throw invalidArgument(`bucket_width must be one of ${choice} seconds, or 0 for the whole period`);
  }
  if (request.limit < 1 || request.limit > width.maxLimit) {
    const what = width.seconds === 0 ? 'groups of a whole period' : `buckets of ${width.seconds} seconds`;
    throw invalidArgument(`limit must be 1 to ${width.maxLimit} for ${what}`);
  }
  requireMinutes(width.seconds, start, minutesSince);
  const unknown = request.groupBy.find((each) => !isGrouping(each) && !isUsageLabel(each));
  if (unknown !== undefined) {
    throw invalidArgument(
      `group_by takes ${USAGE_GROUPINGS.join(', ')}, tag:<name>, end_user, session, not "${unknown}"`,
    );
  }
  if (request.models.length > MAX_MODELS_ASKED)
    throw invalidArgument(`models may name at most ${MAX_MODELS_ASKED}`);
  const groupBy = new Set(request.groupBy.filter(isGrouping));
  const labels = [...new Set(request.groupBy.filter(isUsageLabel))];
  if (labels.length > MAX_LABELS) throw invalidArgument(`group_by may name at most ${MAX_LABELS} labels`);
  const labelFilters = parseLabelFilters(request.labels);
  const isByDay = width.seconds === 0 || width.seconds === DAY;
  const byKey = groupBy.has('key') || memberId !== undefined;
  const isSummed = isSummedByLabel(labels, labelFilters, { byKey, isByDay });
  const byLabel = { labels: labelsAsked(labels, labelFilters), isSummed };
  return {
    owner,
    memberId,
    period: widenPeriod({ start, end }, minutesSince, byLabel),
    width: width.seconds,
    groupBy,
    labels,
    labelFilters,
    isSummed,
    models: request.models,
    limit: request.limit,
    pageStart: request.pageStart === undefined ? undefined : seconds('page_start', request.pageStart),
    after: cursorOf(request, groupBy.size + labels.length),
  };
}

/** @throws ControlPlaneError invalid_argument when minutes are requested that are deleted */
export function requireMinutes(width: number, start: number, minutesSince: number): void {
  if (width !== MINUTE || start >= minutesSince) return;
  throw invalidArgument(
    `usage by the minute goes back to ${utcDay(minutesSince * 1_000)}; ask for buckets of an hour or a day`,
  );
}

export function parsePeriod(request: { startTime: string; endTime: string }): Period {
  const start = seconds('start_time', request.startTime);
  const end = seconds('end_time', request.endTime);
  if (start >= end) throw invalidArgument('start_time must be before end_time');
  return { start, end };
}

/**
 * Widens a period to the nearest existing sums.
 * @param byLabel labels that the query asks for, and whether their daily sums answer it
 * @throws ControlPlaneError invalid_argument when it needs deleted records
 */
export function widenPeriod(
  { start, end }: Period,
  minutesSince: number,
  byLabel: { labels: readonly UsageLabel[]; isSummed: boolean },
): Period {
  const isByLabel = byLabel.labels.length > 0;
  if (isByLabel && !byLabel.isSummed && start < minutesSince) {
    throw invalidArgument(
      `usage by ${byLabel.labels.join(' and ')} in this form goes back to ${utcDay(minutesSince * 1_000)}; for earlier ` +
        'usage, ask for one label, by days and not by key',
    );
  }
  const old = isByLabel ? DAY : HOUR;
  return {
    start: start < minutesSince ? floor(start, old) : floor(start, MINUTE),
    end: end < minutesSince ? ceil(end, old) : ceil(end, MINUTE),
  };
}

function cursorOf(
  { pageStart, pageAfter }: GetUsageRequestMessage,
  groupings: number,
): GroupCursor | undefined {
  if (pageAfter === undefined) return undefined;
  const after = pageStart === undefined ? undefined : decodeGroupCursor(pageAfter, groupings);
  if (after === undefined)
    throw invalidArgument('page_after must come from an earlier page of the same query');
  return after;
}

function seconds(name: string, text: string): number {
  const value = Number(text);
  if (value < 0 || value > MAX_UNIX_SECONDS) throw invalidArgument(`${name} must be Unix seconds`);
  return value;
}

function floor(value: number, width: number): number {
  return Math.floor(value / width) * width;
}

function ceil(value: number, width: number): number {
  return Math.ceil(value / width) * width;
}

function isGrouping(text: string): text is Grouping {
  return USAGE_GROUPINGS.some((grouping) => grouping === text);
}
