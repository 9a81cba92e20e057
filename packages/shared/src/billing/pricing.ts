import { z } from 'zod';
import { type Capability, capability } from '../catalog/capability.ts';
import { recordOf } from '../record-of.ts';
import { parseUsd } from './money.ts';
import { PARTS, type PriceName, UNITS, type UnitRule, wholeOf } from './units.ts';

/** US dollars with at most nine decimals: the gateway counts in billionths of a dollar. */
const usd = (means: string) =>
  z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9})?$/, 'a price is a decimal string such as "0.15"')
    .meta({
      title: 'text such as `"0.15"`',
      description: `US dollars ${means}, with at most nine decimals.`,
    });

/** What a model costs, as the catalog file has it. */
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

/** The prices without which a paid model of the capability could not be billed. */
export const NEEDED_PRICES = pricesOf((of) => UNITS.filter(({ meters }) => meters[of] === 'needed'));

/** What is metered of each capability: a price of anything else would never be charged. */
export const METERED = pricesOf((of) => {
  const metered = UNITS.filter(({ meters }) => meters[of] !== undefined);
  const [main] = metered.filter(({ meters }) => meters[of] === 'needed');
  // First what the capability is there for, then what else comes with it.
  return main === undefined ? metered : [main, ...metered.filter((rule) => rule !== main)];
});

function pricesOf(units: (of: Capability) => readonly UnitRule[]): Record<Capability, readonly PriceName[]> {
  return recordOf(capability.options.map((of) => [of, units(of).map(({ price }) => price.name)] as const));
}

/** What is wrong with one of a model's prices. */
export interface PriceProblem {
  price: PriceName;
  message: string;
}

/** Of any model: parts that cost more than their whole. */
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

/** Of a paid model: prices that would never be charged, and those that are missing. */
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

/** What is no price is told as such elsewhere. */
function nano(price: string | undefined): bigint {
  return parseUsd(price ?? '0') ?? 0n;
}
