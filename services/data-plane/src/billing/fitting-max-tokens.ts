import { maxCostOf, type Price, type Units } from '@model-gateway/shared';

/** Bytes for `"max_completion_tokens":1000000000,` and spaces, which the advice adds to a request. */
const ADVICE_BYTES = 40;

/**
 * @param most the most that the refused request could consume, all its `choices` together
 * @returns the largest `max_tokens` (at least 1, at most what was asked for) with which the request, made
 *   longer by that member, costs no more than is available; undefined when there is none
 */
export function fittingMaxTokens(
  most: Units,
  price: Price,
  availableNanoUsd: bigint,
  choices: number,
): number | undefined {
  const inputTokens = most.inputTokens + ADVICE_BYTES;
  const fits = (maxTokens: number) =>
    maxCostOf({ ...most, inputTokens, outputTokens: maxTokens * choices }, price) <= availableNanoUsd;
  // Found by halving, so that only maxCostOf knows how a price is rounded.
  let largest = 0;
  let tooMany = Math.floor(most.outputTokens / choices) + 1;
  while (tooMany - largest > 1) {
    const middle = Math.floor((largest + tooMany) / 2);
    if (fits(middle)) largest = middle;
    else tooMany = middle;
  }
  return largest === 0 ? undefined : largest;
}
