/** Ratio of bounds: a percentile is off by at most (1.2 − 1) / (1.2 + 1) = 9.1 %. */
const GROWTH = 1.2;
const FIRST_BOUND_MS = 1;
/** The last bucket begins at ten minutes and has no upper bound. */
export const BUCKET_COUNT = 75;

/** Returns an empty bucket for durations up to 1 ms, then one for up to 1.2ⁿ ms each. */
export function emptyHistogram(): number[] {
  return new Array<number>(BUCKET_COUNT).fill(0);
}

export function bucketOf(durationMs: number): number {
  if (!(durationMs > FIRST_BOUND_MS)) return 0;
  const index = Math.ceil(Math.log(durationMs / FIRST_BOUND_MS) / Math.log(GROWTH) - 1e-9);
  return Math.min(index, BUCKET_COUNT - 1);
}

export function addHistogram(histogram: number[], added: readonly number[]): void {
  for (const [index, count] of added.entries()) histogram[index] = (histogram[index] ?? 0) + count;
}

/**
 * Returns the nearest-rank percentile in milliseconds, two decimals.
 * @param share 0 to 1
 * @returns null when empty
 */
export function percentile(histogram: readonly number[], share: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(total * share));
  let seen = 0;
  for (const [index, count] of histogram.entries()) {
    seen += count;
    if (seen >= rank) return Math.round(middleOf(index) * 100) / 100;
  }
  return null;
}

/** Geometric position within the bucket. */
function middleOf(index: number): number {
  if (index === 0) return FIRST_BOUND_MS;
  const upper = FIRST_BOUND_MS * GROWTH ** index;
  return (2 * upper) / (GROWTH + 1);
}
