import { z } from 'zod';
import { flatPricing } from '../billing/flat-pricing.ts';
import type { PriceProblem, Pricing } from '../billing/pricing.ts';
import { DAY_MS } from '../day.ts';

/** Where the prices of a model were found, and when. */
export const pricesFrom = z
  .array(
    z.strictObject({
      source: z
        .string()
        .min(1)
        .max(500)
        .describe('A URL, or in words: a price list, a contract, a price file of `gatewayctl prices sync`.'),
      date: z.iso
        .date()
        .meta({ title: 'a day such as `"2026-11-27"`' })
        .describe('The day when they were found there, or last compared with it.'),
      until: z.iso
        .date()
        .meta({ title: 'a day such as `"2026-12-31"`' })
        .optional()
        .describe('The last day of prices that the provider has announced to end.'),
      prices: z
        .array(z.string().min(1).max(200))
        .min(1)
        .max(200)
        .optional()
        .describe(
          'The prices that this entry is about, such as `web_search_request_usd` or ' +
            '`tiers.200000.input_per_million_usd`. Left out: all that no other entry names.',
        ),
    }),
  )
  .min(1)
  .max(20);
export type PricesFrom = z.infer<typeof pricesFrom>;

/** Finds entries that say nothing: a second one for the same prices, or one for a price that is not there. */
export function pricesFromProblems(entries: PricesFrom, prices: Pricing): PriceProblem[] {
  const known = Object.keys(flatPricing(prices));
  const seen = new Set<string | undefined>();
  return entries.flatMap(({ prices: names = [undefined] }, index) =>
    names.flatMap((name) => {
      const isTwice = seen.has(name);
      seen.add(name);
      const path = [index, ...(name === undefined ? [] : ['prices'])];
      if (isTwice) return [{ path, message: `${name ?? 'every other price'} is named twice` }];
      return name === undefined || known.includes(name)
        ? []
        : [{ path, message: `the model has no price ${name}` }];
    }),
  );
}

/** Returns where a price was found; undefined: the catalog does not say. */
export function priceOrigin(entries: PricesFrom | undefined, price: string): PricesFrom[number] | undefined {
  return (
    entries?.find(({ prices }) => prices?.includes(price)) ??
    entries?.find(({ prices }) => prices === undefined)
  );
}

/** Prices older than this are worth comparing with the provider's list. */
export const MAX_PRICE_AGE_DAYS = 60;

/** Returns the age of a price in whole days. */
export function priceAgeDays(date: string, nowMs: number): number {
  return Math.floor((nowMs - Date.parse(date)) / DAY_MS);
}

/** Returns what is most in need of a comparison: prices that have ended, else the oldest above 60 days. */
export function outdatedPrices(entries: PricesFrom, nowMs: number): PricesFrom[number] | undefined {
  const ended = entries.find(({ until }) => until !== undefined && priceAgeDays(until, nowMs) >= 1);
  if (ended !== undefined) return ended;
  const [oldest] = entries.toSorted((left, right) => left.date.localeCompare(right.date));
  return oldest !== undefined && priceAgeDays(oldest.date, nowMs) > MAX_PRICE_AGE_DAYS ? oldest : undefined;
}
