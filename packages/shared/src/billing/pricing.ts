import { z } from 'zod';
import { type Capability, capability } from '../catalog/capability.ts';
import { recordOf } from '../record-of.ts';
import { parseUsd } from './money.ts';
import { PARTS, type PriceName, UNITS, type UnitRule, wholeOf } from './units.ts';

/** US dollars with at most nine decimals, because the gateway counts in billionths of a dollar. */
const usd = (means: string) =>
  z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9})?$/, 'a price is a decimal string such as "0.15"')
    .meta({
      title: 'text such as `"0.15"`',
      description: `US dollars ${means}, with at most nine decimals.`,
    });

/** The prices of a model, in the form of the catalog file. */
export const pricing = z.strictObject(
  recordOf(
    UNITS.map((rule) => {
      const { name, means } = rule.price;
      const price = usd(means).optional();
      const whole = wholeOf(rule)?.price.name;
      const ofPart = `US dollars ${means}; not above \`${whole}\`, which counts where this is left out.`;
      return [name, whole === undefined ? price : price.describe(ofPart)] as const;
    }),
  ),
);
export type Pricing = z.infer<typeof pricing>;

const PRICE_NAMES = UNITS.map(({ price }) => price.name);

/** For each capability, the prices that a paid model needs: without them it could not be billed. */
export const NEEDED_PRICES = pricesOf((of) => UNITS.filter(({ meters }) => meters[of] === 'needed'));

/** For each capability, the prices of what is metered. Any other price would never be charged. */
export const METERED = pricesOf((of) => {
  const metered = UNITS.filter(({ meters }) => meters[of] !== undefined);
  const [main] = metered.filter(({ meters }) => meters[of] === 'needed');
  // The main unit of the capability comes first, then the others.
  return main === undefined ? metered : [main, ...metered.filter((rule) => rule !== main)];
});

function pricesOf(units: (of: Capability) => readonly UnitRule[]): Record<Capability, readonly PriceName[]> {
  return recordOf(capability.options.map((of) => [of, units(of).map(({ price }) => price.name)] as const));
}

/** A problem with one of a model's prices. */
export interface PriceProblem {
  price: PriceName;
  message: string;
}

/** Finds problems of any model: parts that cost more than their whole. */
export function unitPartProblems(prices: Pricing): PriceProblem[] {
  const dearer = PARTS.filter(
    ({ part, whole }) => nano(prices[part.price.name]) > nano(prices[whole.price.name]),
  );
  const words = (price: PriceName) => price.replace('_per_million_usd', '').replaceAll('_', ' ');
  return dearer.map(({ part: { price }, whole }) => ({
    price: price.name,
    message: `${words(price.name)} must not cost more than ${words(whole.price.name)}`,
  }));
}

/** Finds problems of a paid model: prices that would never be charged, and prices that are missing. */
export function paidProblems(of: Capability, prices: Pricing): PriceProblem[] {
  const metered = METERED[of];
  const idle = PRICE_NAMES.filter((price) => !metered.includes(price) && nano(prices[price]) > 0n);
  const missing = NEEDED_PRICES[of].filter((price) => prices[price] === undefined);
  return [
    ...idle.map((price) => ({
      price,
      message: `this would never be charged: ${of} is metered by ${metered.join(', ')}`,
    })),
    ...missing.map((price) => ({ price, message: `a paid ${of} model needs this price` })),
  ];
}

/** Returns a price in nano-USD. A text that is no price is 0 here: another check reports it. */
function nano(price: string | undefined): bigint {
  return parseUsd(price ?? '0') ?? 0n;
}
