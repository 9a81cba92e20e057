import type { ReceiptAnswer } from '../../../../wire/receipts.ts';
import { countOf } from '../../format/format-count.ts';
import { type ExactUsd, exactText, fullUsd, sumOf, timesPrice } from './exact-usd.ts';

/** A line of the bill: a number of units, their price, and the amount. */
export interface ReceiptLine {
  id: string;
  name: string;
  count: string;
  /** Undefined: the units cost nothing. */
  price: string | undefined;
  amount: string;
}

export interface ReceiptBill {
  lines: ReceiptLine[];
  /** The exact sum, if the cost was rounded up from it; undefined: they are the same. */
  beforeRounding: string | undefined;
}

const MILLION = 1_000_000;
const MS_PER_SECOND = 1_000;

/**
 * How the cost of a request is made up, in the way in which the gateway counts: cached input has its own
 * price or else that of input, audio is counted by the millisecond, and the exact sum is rounded up once.
 */
export function receiptBill({
  units,
  pricing,
  costUsd,
}: Pick<ReceiptAnswer, 'units' | 'pricing' | 'costUsd'>): ReceiptBill {
  const input = pricing.input_per_million_usd;
  const used = [
    line('input', 'Input', units.inputTokens - units.cachedInputTokens, 'token', input, MILLION),
    line(
      'cached-input',
      'Input from the cache',
      units.cachedInputTokens,
      'token',
      pricing.cached_input_per_million_usd ?? input,
      MILLION,
    ),
    line('output', 'Output', units.outputTokens, 'token', pricing.output_per_million_usd, MILLION),
    line('images', 'Images', units.images, 'image', pricing.image_usd, 1),
    line('characters', 'Text', units.characters, 'character', pricing.characters_per_million_usd, MILLION),
    audioLine(units.audioSeconds, pricing.audio_second_usd),
    line('search-units', 'Searches', units.searchUnits, 'search unit', pricing.search_unit_usd, 1),
  ].filter((entry) => entry !== undefined);
  const exact = exactText(sumOf(used.map(({ exact }) => exact)));
  return {
    lines: used.map(({ line: shown }) => shown),
    beforeRounding: exact === fullUsd(costUsd) ? undefined : exact,
  };
}

interface Counted {
  line: ReceiptLine;
  exact: ExactUsd;
}

function line(
  id: string,
  name: string,
  count: number,
  unit: string,
  usd: string | undefined,
  per: number,
): Counted | undefined {
  if (count === 0) return undefined;
  const exact = timesPrice(count, usd ?? '0', per);
  const each = per === MILLION ? `1M ${unit}s` : unit;
  return {
    exact,
    line: {
      id,
      name,
      count: countOf(count, unit),
      price: usd === undefined ? undefined : `${fullUsd(usd)} per ${each}`,
      amount: exactText(exact),
    },
  };
}

function audioLine(seconds: number, usd: string | undefined): Counted | undefined {
  if (seconds === 0) return undefined;
  const exact = timesPrice(Math.round(seconds * MS_PER_SECOND), usd ?? '0', MS_PER_SECOND);
  return {
    exact,
    line: {
      id: 'audio',
      name: 'Audio',
      count: `${seconds} s`,
      price: usd === undefined ? undefined : `${fullUsd(usd)} per second`,
      amount: exactText(exact),
    },
  };
}
