import type { BucketWidth } from './bucket-label.ts';

/** More labels would overlap when two charts stand side by side. */
const MAX_TICKS = 8;

/** Decides whether a bucket gets a label, by its start and the number of buckets after it. */
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
// Counts days back from the newest one, which always has a label.
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

/** From the finest to the coarsest; the first rule with at most MAX_TICKS labels wins. */
const RULES: Record<BucketWidth, readonly Rule[]> = {
  minute: [1, 5, 10, 15, 30].map(everyMinutes),
  hour: [1, 2, 3, 6, 12, 24].map(everyHours),
  day: [...[1, 2, 5, 7, 14].map(everyDays), ...[1, 2, 3, 6].map(everyMonths)],
};

/**
 * Returns the starts of the buckets that get a label: round times at equal distances. Depends on the buckets
 * only, so charts side by side have the same labels.
 */
export function timeTicks(startsMs: readonly number[], width: BucketWidth): number[] {
  let ticks: number[] = [];
  for (const hasLabel of RULES[width]) {
    ticks = startsMs.filter((startMs, index) => hasLabel(startMs, startsMs.length - 1 - index));
    if (ticks.length <= MAX_TICKS) break;
  }
  return ticks.length > 0 ? ticks : startsMs.slice(-1);
}
