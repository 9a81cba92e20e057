/** Widths of the roll-ups in seconds, widest first. */
const ROLLUP_WIDTHS = [86_400, 3_600, 60] as const;

/** Unix seconds; `end` is not part of it. */
export interface Period {
  start: number;
  end: number;
}

/** Roll-ups of one width that follow each other. */
export interface Piece extends Period {
  width: number;
}

/**
 * The fewest roll-ups that are together exactly a period: days, hours at the edges, minutes at their edges.
 *
 * @param period in whole minutes
 * @param widest the widest roll-ups to use, e.g. none wider than a bucket
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
