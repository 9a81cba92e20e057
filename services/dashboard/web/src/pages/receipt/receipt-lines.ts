import { unitPrices } from '@model-gateway/shared/prices';
import { PARTS, UNITS, type UnitRule } from '@model-gateway/shared/units';
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
  /** The price is not theirs: the model has none for them. */
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
 * How the cost of a request that one model has answered is made up, in the way in which the gateway counts:
 * parts of a unit have their own price or one that stands in for it, audio is counted by the millisecond, and
 * the exact sum is rounded up once.
 */
export function receiptBill({
  units,
  pricing,
  unpriced,
  costUsd,
}: Pick<ReceiptAnswer, 'units' | 'pricing' | 'unpriced' | 'costUsd'>): ReceiptBill {
  const isFree = Object.keys(pricing).length === 0;
  const prices = unitPrices(pricing, units.inputTokens);
  const used = UNITS.flatMap((rule) => {
    const parts = PARTS.filter(({ whole }) => whole === rule).map(({ part }) => units[part.shown]);
    const count = parts.reduce((rest, part) => rest - part, units[rule.shown]);
    const usd = isFree ? undefined : prices[rule.unit];
    return count === 0 ? [] : [line(rule, count, usd, unpriced.includes(rule.column))];
  });
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

/** @param count the number that is shown */
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
      price: usd === undefined ? undefined : `${fullUsd(usd)} per ${each}`,
      isUnpriced,
      amount: exactText(exact),
    },
  };
}
