import type { UsageQuery } from '../../../wire/usage.ts';

export type BucketWidth = UsageQuery['width'];

/**
 * Formats the start of a bucket, short for an axis or in full. Days are UTC days, as in bills; hours and
 * minutes are in the reader's time zone.
 * @param timeZone default: the browser's
 */
export function bucketLabel(startMs: number, width: BucketWidth, isFull: boolean, timeZone?: string): string {
  const options = isFull ? FULL[width] : SHORT[width];
  const zone = width === 'day' ? 'UTC' : timeZone;
  return new Intl.DateTimeFormat('en-US', {
    ...options,
    hourCycle: 'h23',
    ...(zone === undefined ? {} : { timeZone: zone }),
  }).format(startMs);
}

const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;
const DAY = { month: 'short', day: 'numeric' } as const;

const SHORT = { minute: CLOCK, hour: CLOCK, day: DAY };
const FULL = {
  minute: { ...DAY, ...CLOCK },
  hour: { ...DAY, ...CLOCK },
  day: { weekday: 'short', ...DAY, year: 'numeric' },
} as const;
