import { parseUsd } from './money.ts';
import type { Pricing } from './pricing.ts';
import { perUnit, UNITS, type Unit, type Units, wholeOf } from './units.ts';

/**
 * Each unit that costs something, and what one of it adds to the cost, in millionths of a nano-USD, so that
 * every price of a catalog is a whole number. A part of a unit is also counted in its whole, so its entry has
 * only the difference between the two prices.
 */
export type Price = readonly { unit: Unit; each: bigint }[];

const PER_MILLION = 1_000_000n;

/** @param pricing decimal strings in the form of the catalog; a unit without a price costs nothing */
export function priceOf(pricing: Pricing): Price {
  const own = perUnit('unit', ({ price: { name, per } }) => {
    const usd = pricing[name];
    return usd === undefined ? undefined : ((parseUsd(usd) ?? invalid(usd)) * PER_MILLION) / BigInt(per);
  });
  return UNITS.flatMap((rule) => {
    const [whole, each] = [wholeOf(rule), own[rule.unit]];
    const already = whole === undefined ? 0n : (own[whole.unit] ?? 0n);
    return each === undefined || each === already ? [] : [{ unit: rule.unit, each: each - already }];
  });
}

/**
 * Returns the exact sum over all units, rounded up once to whole nano-USD (docs/wire-format.md, "What is
 * billed").
 */
export function costOf(units: Units, price: Price): bigint {
  let sum = 0n;
  for (const { unit, each } of price) {
    const count = units[unit];
    if (count !== 0) sum += BigInt(count) * each;
  }
  return (sum + PER_MILLION - 1n) / PER_MILLION;
}

function invalid(usd: string): never {
  throw new Error(`"${usd}" is no price`);
}
