import type { GetUsageRequestMessage } from '@model-gateway/contracts';
import { BUCKET_WIDTHS, MAX_MODELS_ASKED, MAX_UNIX_SECONDS, USAGE_GROUPINGS } from '@model-gateway/shared';
import type { Payer } from '../billing/allowance-store.ts';
import { payerOf } from '../billing/payer-of.ts';
import { ControlPlaneError } from '../control-plane-error.ts';
import type { Period } from './cover-period.ts';

export type Grouping = (typeof USAGE_GROUPINGS)[number];

/** A GetUsageRequest that can be answered. */
export interface UsageQuestion {
  payer: Payer;
  /** In whole minutes; where there are none any more, in whole hours. */
  period: Period;
  /** Seconds. */
  width: number;
  groupBy: ReadonlySet<Grouping>;
  models: readonly string[];
  limit: number;
  pageStart: number | undefined;
}

const MINUTE = 60;
const HOUR = 3_600;
const WIDTHS = Object.values(BUCKET_WIDTHS);

/**
 * @param minutesSince start of a day in Unix seconds: what is older has no sums by the minute
 * @throws ControlPlaneError invalid_argument
 */
export function usageQuestion(request: GetUsageRequestMessage, minutesSince: number): UsageQuestion {
  const payer = payerOf(request.payer);
  const start = seconds('start_time', request.startTime);
  const end = seconds('end_time', request.endTime);
  if (start >= end) throw invalid('start_time must be before end_time');
  const width = WIDTHS.find((each) => each.seconds === request.bucketWidth);
  if (width === undefined) {
    throw invalid(`bucket_width must be one of ${WIDTHS.map((each) => each.seconds).join(', ')} seconds`);
  }
  if (request.limit < 1 || request.limit > width.maxLimit) {
    throw invalid(`limit must be 1 to ${width.maxLimit} for buckets of ${width.seconds} seconds`);
  }
  if (width.seconds === MINUTE && start < minutesSince) {
    throw invalid(
      `usage by the minute goes back to ${dayOf(minutesSince)}; ask for buckets of an hour or a day`,
    );
  }
  const unknown = request.groupBy.find((each) => !isGrouping(each));
  if (unknown !== undefined) {
    throw invalid(`group_by takes ${USAGE_GROUPINGS.join(', ')}, not "${unknown}"`);
  }
  if (request.models.length > MAX_MODELS_ASKED) throw invalid(`models may name at most ${MAX_MODELS_ASKED}`);
  return {
    payer,
    period: {
      start: start < minutesSince ? floor(start, HOUR) : floor(start, MINUTE),
      end: end < minutesSince ? ceil(end, HOUR) : ceil(end, MINUTE),
    },
    width: width.seconds,
    groupBy: new Set(request.groupBy.filter(isGrouping)),
    models: request.models,
    limit: request.limit,
    pageStart: request.pageStart === undefined ? undefined : seconds('page_start', request.pageStart),
  };
}

function seconds(name: string, text: string): number {
  const value = Number(text);
  if (value < 0 || value > MAX_UNIX_SECONDS) throw invalid(`${name} must be Unix seconds`);
  return value;
}

function floor(value: number, width: number): number {
  return Math.floor(value / width) * width;
}

function ceil(value: number, width: number): number {
  return Math.ceil(value / width) * width;
}

/** Date in UTC, such as 2026-03-01. */
function dayOf(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString().slice(0, 10);
}

function isGrouping(text: string): text is Grouping {
  return USAGE_GROUPINGS.some((grouping) => grouping === text);
}

function invalid(message: string): ControlPlaneError {
  return new ControlPlaneError('invalid_argument', message);
}
