import { costOf, type Price, type Units } from '@model-gateway/shared';

/** `"max_completion_tokens":1000000000,` and spaces: the advice, once taken, makes a body longer. */
const ADVICE_BYTES = 40;

/**
 * @param most what the refused request could consume, its `choices` answers together
 * @returns the largest `max_tokens` (≥ 1, at most what was asked for) with which the request, longer by that member,
 *   costs no more than is available; undefined when there is none
 */
export function fittingMaxTokens(
  most: Units,
  price: Price,
  availableNanoUsd: bigint,
  choices: number,
): number | undefined {
  const inputTokens = most.inputTokens + ADVICE_BYTES;
  const fits = (maxTokens: number) =>
    costOf({ ...most, inputTokens, outputTokens: maxTokens * choices }, price) <= availableNanoUsd;
  // Found by halving, so that costOf alone knows how a price is rounded.
  let largest = 0;
  let tooMany = Math.floor(most.outputTokens / choices) + 1;
  while (tooMany - largest > 1) {
    const middle = Math.floor((largest + tooMany) / 2);
    if (fits(middle)) largest = middle;
    else tooMany = middle;
  }
  return largest === 0 ? undefined : largest;
}
