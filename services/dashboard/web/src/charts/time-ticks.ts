import type { BucketWidth } from './bucket-label.ts';

/** More names than this would overlap when two charts stand side by side. */
const MAX_TICKS = 8;

/** Decides whether a bucket is named on the axis, by its start and by how many buckets come after it. */
type Rule = (startMs: number, fromEnd: number) => boolean;

// In the reader's time zone, as in bucketLabel.
const everyMinutes =
  (step: number): Rule =>
  (startMs) =>
    new Date(startMs).getMinutes() % step === 0;
const everyHours =
  (step: number): Rule =>
  (startMs) =>
    new Date(startMs).getHours() % step === 0;
// Days are counted from the newest one, which is always named.
const everyDays =
  (step: number): Rule =>
  (_startMs, fromEnd) =>
    fromEnd % step === 0;
const everyMonths =
  (step: number): Rule =>
  (startMs) => {
    const day = new Date(startMs);
    return day.getUTCDate() === 1 && day.getUTCMonth() % step === 0;
  };

/** From the finest to the coarsest. The first rule that names few enough buckets is used. */
const RULES: Record<BucketWidth, readonly Rule[]> = {
  minute: [1, 5, 10, 15, 30].map(everyMinutes),
  hour: [1, 2, 3, 6, 12, 24].map(everyHours),
  day: [...[1, 2, 5, 7, 14].map(everyDays), ...[1, 2, 3, 6].map(everyMonths)],
};

/**
 * Which buckets are named on the axis of a chart: round times at equal distances. They depend on the buckets
 * alone, so charts of the same period that stand side by side name the same ones.
 * @param startsMs the starts of all buckets in order, Unix milliseconds
 */
export function timeTicks(startsMs: readonly number[], width: BucketWidth): number[] {
  let ticks: number[] = [];
  for (const isNamed of RULES[width]) {
    ticks = startsMs.filter((startMs, index) => isNamed(startMs, startsMs.length - 1 - index));
    if (ticks.length <= MAX_TICKS) break;
  }
  return ticks.length > 0 ? ticks : startsMs.slice(-1);
}
