/** The same in every chart, so that the lines of charts side by side are at the same heights. */
const INTERVALS = 4;
const ROUND = [1, 2, 2.5, 5, 10];

/**
 * Returns the labels of a value axis: 0 and four equal round steps that reach the highest bar; only 0 without
 * bars.
 * @param isWhole true if all values are whole numbers
 */
export function valueTicks(max: number, isWhole: boolean): number[] {
  if (max <= 0) return [0];
  const minStep = max / INTERVALS;
  const size = 10 ** Math.floor(Math.log10(minStep));
  const round = (ROUND.find((factor) => factor * size >= minStep) ?? 10) * size;
  const step = isWhole ? Math.ceil(round) : round;
  // Rounds off floating-point errors: 3 × 0.1 is not 0.3.
  return Array.from({ length: INTERVALS + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}
