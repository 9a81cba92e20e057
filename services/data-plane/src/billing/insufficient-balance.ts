import { costOf, formatUsd, GatewayError, type Price, type Units } from '@model-gateway/shared';

export interface MissingBalance {
  /** The most that the request can cost. */
  neededNanoUsd: bigint;
  availableNanoUsd: bigint;
  /** Set aside for other requests in flight. What they do not need comes back. */
  heldNanoUsd: bigint;
  /** When the next pool is full again, in Unix seconds; undefined: none will be. */
  resetsAt: number | undefined;
  /**
   * The largest `max_tokens` that the balance covers; undefined: there is none, or the request has no such
   * field.
   */
  fitsMaxTokens: number | undefined;
}

const RETRY_AFTER_SECONDS = 1;
/**
 * Bytes for `"max_completion_tokens":1000000000,` and spaces: a request that follows the advice gets longer
 * by that.
 */
const ADVICE_BYTES = 40;

/** The error 402 (wire format, "Errors"). */
export function insufficientBalance(missing: MissingBalance): GatewayError {
  const { neededNanoUsd, availableNanoUsd, heldNanoUsd, resetsAt, fitsMaxTokens } = missing;
  const isHeld = availableNanoUsd + heldNanoUsd >= neededNanoUsd;
  return new GatewayError('insufficient_balance', messageOf(missing, isHeld), {
    headers: isHeld ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : { 'x-should-retry': 'false' },
    details: {
      needed_usd: formatUsd(neededNanoUsd),
      available_usd: formatUsd(availableNanoUsd),
      held_usd: formatUsd(heldNanoUsd),
      resets_at: resetsAt ?? null,
      ...(fitsMaxTokens === undefined ? {} : { max_tokens: fitsMaxTokens }),
    },
  });
}

function messageOf(
  { neededNanoUsd, availableNanoUsd, heldNanoUsd, resetsAt, fitsMaxTokens }: MissingBalance,
  isHeld: boolean,
): string {
  // Held money is not spent: it is part of what is left.
  const leftNanoUsd = availableNanoUsd + heldNanoUsd;
  const needs = `This request may cost up to ${usd(neededNanoUsd)}, and the balance has ${usd(leftNanoUsd)} left`;
  const held = heldNanoUsd > 0n ? `, of which requests in flight hold ${usd(heldNanoUsd)}` : '';
  const ways: string[] = [];
  if (fitsMaxTokens !== undefined) ways.push(`set max_tokens to at most ${fitsMaxTokens}`);
  if (isHeld) ways.push('retry when they have ended');
  else if (resetsAt !== undefined) ways.push(`wait until it resets at ${timeOf(resetsAt)}`);
  if (ways.length === 0 && availableNanoUsd > 0n) ways.push('ask for less');
  if (ways.length === 0 || !isHeld) ways.push('have the balance raised (free models need none)');
  return `${needs}${held}. ${capitalized(ways.join(', or '))}.`;
}

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
    costOf({ ...most, inputTokens, outputTokens: maxTokens * choices }, price) <= availableNanoUsd;
  // Found by halving, so that only costOf knows how a price is rounded.
  let largest = 0;
  let tooMany = Math.floor(most.outputTokens / choices) + 1;
  while (tooMany - largest > 1) {
    const middle = Math.floor((largest + tooMany) / 2);
    if (fits(middle)) largest = middle;
    else tooMany = middle;
  }
  return largest === 0 ? undefined : largest;
}

function usd(nanoUsd: bigint): string {
  return `${formatUsd(nanoUsd).replace(/\.?0+$/, '')} USD`;
}

function timeOf(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString().replace('.000Z', 'Z');
}

function capitalized(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
