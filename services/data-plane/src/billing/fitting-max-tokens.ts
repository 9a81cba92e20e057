import { maxCostOf, type Price, type Unit, type Units } from '@model-gateway/shared';

/** Bytes that `"max_completion_tokens":1000000000,` and spaces add to the request. */
const ADVICE_BYTES = 40;

/**
 * Finds the largest `max_tokens` that the balance covers, the bytes of that member included.
 * @param maxUnits of the refused request, all `choices` together; `unused`: see `maxCostOf`
 * @returns at least 1 and at maxUnits the requested output; undefined when none fits
 */
export function fittingMaxTokens(
  maxUnits: Units,
  price: Price,
  availableNanoUsd: bigint,
  choices: number,
  unused?: readonly Unit[],
): number | undefined {
  const inputTokens = maxUnits.inputTokens + ADVICE_BYTES;
  const fits = (maxTokens: number) =>
    maxCostOf({ ...maxUnits, inputTokens, outputTokens: maxTokens * choices }, price, unused) <=
    availableNanoUsd;
  // Bisect, so that the rounding of prices stays in maxCostOf.
  let largest = 0;
  let tooMany = Math.floor(maxUnits.outputTokens / choices) + 1;
  while (tooMany - largest > 1) {
    const middle = Math.floor((largest + tooMany) / 2);
    if (fits(middle)) largest = middle;
    else tooMany = middle;
  }
  return largest === 0 ? undefined : largest;
}
