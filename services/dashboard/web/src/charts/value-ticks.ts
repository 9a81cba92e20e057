/** Every chart has as many lines: those of two charts beside each other are at the same heights. */
const INTERVALS = 4;
const ROUND = [1, 2, 2.5, 5, 10];

/**
 * The values that are named on the axis of a chart: 0 and four equal round steps, the last of which the highest bar does
 * not go beyond.
 * @param isWhole fractions of one mean nothing
 * @returns 0 alone where there is nothing to show
 */
export function valueTicks(max: number, isWhole: boolean): number[] {
  if (max <= 0) return [0];
  const least = max / INTERVALS;
  const size = 10 ** Math.floor(Math.log10(least));
  const round = (ROUND.find((factor) => factor * size >= least) ?? 10) * size;
  const step = isWhole ? Math.ceil(round) : round;
  // 3 × 0.1 is not 0.3 in binary.
  return Array.from({ length: INTERVALS + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}
