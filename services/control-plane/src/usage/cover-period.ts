import type { Period, Piece } from '../roll-ups/usage-sums-store.ts';

const ROLLUP_WIDTHS = [86_400, 3_600, 60] as const;

/**
 * Returns the fewest roll-ups that make up a period: days, then hours and minutes at the edges.
 * @param period in whole minutes
 * @param widest for example the width of a bucket
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
