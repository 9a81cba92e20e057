import type { Period, Piece } from '../roll-ups/usage-sums-store.ts';

/** Widths of the roll-ups in seconds, widest first. */
const ROLLUP_WIDTHS = [86_400, 3_600, 60] as const;

/**
 * Returns the fewest roll-ups that together are exactly a period: days in the middle, hours at their edges,
 * and minutes at the edges of these.
 *
 * @param period in whole minutes
 * @param widest the widest roll-ups to use, for example none wider than a bucket
 */
export function coverPeriod(period: Period, widest: number = ROLLUP_WIDTHS[0]): Piece[] {
  return cover(
    period,
    ROLLUP_WIDTHS.filter((width) => width <= widest),
  );
}

function cover({ start, end }: Period, [width, ...narrower]: number[]): Piece[] {
  if (start >= end || width === undefined) return [];
  const from = Math.ceil(start / width) * width;
  const to = Math.floor(end / width) * width;
  if (from >= to) return cover({ start, end }, narrower);
  return [
    ...cover({ start, end: from }, narrower),
    { width, start: from, end: to },
    ...cover({ start: to, end }, narrower),
  ];
}
