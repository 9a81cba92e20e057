import { unitPrices } from '@model-gateway/shared/prices';
import { PARTS, UNITS, type UnitRule } from '@model-gateway/shared/units';
import type { ReceiptResponse } from '../../../../wire/receipts.ts';
import { countOf } from '../../format/format-count.ts';
import { type ExactUsd, formatExactUsd, formatFullUsd, sumOf, timesPrice } from './exact-usd.ts';

/** A line of the bill: a number of units, their price, and the amount. */
export interface ReceiptLine {
  id: string;
  name: string;
  count: string;
  /** Undefined: the units cost nothing. */
  price: string | undefined;
  /** True if the model has no price for these units, so another price applies. */
  isUnpriced: boolean;
  amount: string;
}

export interface ReceiptBill {
  lines: ReceiptLine[];
  /** The exact sum, if the cost was rounded up from it; undefined: they are the same. */
  beforeRounding: string | undefined;
}

const MILLION = 1_000_000;

/**
 * Calculates the bill of a request with one model as the gateway does: parts of a unit are priced separately,
 * audio by the millisecond, and only the exact sum is rounded up.
 */
export function receiptBill({
  units,
  pricing,
  serviceTier,
  unpriced,
  costUsd,
}: Pick<ReceiptResponse, 'units' | 'pricing' | 'serviceTier' | 'unpriced' | 'costUsd'>): ReceiptBill {
  const isFree = Object.keys(pricing).length === 0;
  const prices = unitPrices(pricing, { inputTokens: units.inputTokens, serviceTier });
  const used = UNITS.flatMap((rule) => {
    const parts = PARTS.filter(({ whole }) => whole === rule).map(({ part }) => units[part.shown]);
    const count = parts.reduce((rest, part) => rest - part, units[rule.shown]);
    const usd = isFree ? undefined : prices[rule.unit];
    return count === 0 ? [] : [line(rule, count, usd, unpriced.includes(rule.column))];
  });
  const exact = formatExactUsd(sumOf(used.map(({ exact }) => exact)));
  return {
    lines: used.map(({ line: shown }) => shown),
    beforeRounding: exact === formatFullUsd(costUsd) ? undefined : exact,
  };
}

interface Counted {
  line: ReceiptLine;
  exact: ExactUsd;
}

/** @param count in display units: seconds for audio */
function line(
  { column, one, price: { per }, shownPer, sign, title }: UnitRule,
  count: number,
  usd: string | undefined,
  isUnpriced: boolean,
): Counted {
  const exact = timesPrice(Math.round(count * shownPer), usd ?? '0', per);
  const each = per === MILLION ? `1M ${one}s` : one;
  return {
    exact,
    line: {
      id: column,
      name: title,
      count: sign === undefined ? countOf(count, one) : `${count} ${sign}`,
      price: usd === undefined ? undefined : `${formatFullUsd(usd)} per ${each}`,
      isUnpriced,
      amount: formatExactUsd(exact),
    },
  };
}
