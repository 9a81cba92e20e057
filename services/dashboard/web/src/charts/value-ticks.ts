/** Every chart has so many lines, so that two charts side by side have them at the same heights. */
const INTERVALS = 4;
const ROUND = [1, 2, 2.5, 5, 10];

/**
 * The values that are named on the axis of a chart: 0 and four equal round steps, up to the highest bar or
 * above it.
 * @param isWhole true if all values are whole numbers
 * @returns only 0 if there is nothing to show
 */
export function valueTicks(max: number, isWhole: boolean): number[] {
  if (max <= 0) return [0];
  const least = max / INTERVALS;
  const size = 10 ** Math.floor(Math.log10(least));
  const round = (ROUND.find((factor) => factor * size >= least) ?? 10) * size;
  const step = isWhole ? Math.ceil(round) : round;
  // Binary fractions are not exact: 3 × 0.1 is not 0.3.
  return Array.from({ length: INTERVALS + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}
