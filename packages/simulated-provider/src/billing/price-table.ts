import { z } from 'zod';
import { SERVED_UNITS, type ServedUnit, type ServedUnits } from './served-work.ts';

const NANO_DIGITS = 9;

const usd = z.string().regex(/^\d{1,6}(\.\d{1,9})?$/, 'expected US dollars such as "2.50"');
const price = usd.optional();
const prices = z.strictObject({
  input: price,
  cachedInput: price,
  cacheWrite: price,
  cacheWrite1h: price,
  output: price,
  webSearches: price,
  images: price,
  characters: price,
  audioMs: price,
  searchUnits: price,
} satisfies Record<ServedUnit, typeof price>);
/** US dollars per million units by model, with prices of tiers that differ. */
export const priceTable = z.record(
  z.string(),
  prices.extend({ tiers: z.record(z.string(), prices).optional() }),
);

export type PriceTable = z.infer<typeof priceTable>;

/** Money is in femto-USD (10^-15), so a price in nano-USD per million units is a whole number for one. */
const FEMTO_DIGITS = 15;

/** Returns the exact cost in femto-USD of each unit. A model or unit without a price is free. */
export function costsOf(
  table: PriceTable,
  { model, serviceTier, units }: { model: string; serviceTier: string | null; units: ServedUnits },
): Map<ServedUnit, bigint> {
  const { tiers, ...usual } = table[model] ?? {};
  const each = { ...usual, ...(serviceTier === null ? {} : tiers?.[serviceTier]) };
  return new Map(
    SERVED_UNITS.flatMap((unit) => {
      const count = units[unit] ?? 0;
      return count === 0 ? [] : [[unit, BigInt(count) * nanoUsd(each[unit] ?? '0')] as const];
    }),
  );
}

function nanoUsd(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(NANO_DIGITS, '0'));
}

/** Formats femto-USD as dollars, without trailing zeros. @param shift 2 for cents */
export function formatFemto(femto: bigint, shift = 0): string {
  const digits = FEMTO_DIGITS - shift;
  const text = String(femto).padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`.replace(/\.?0+$/, '');
}
