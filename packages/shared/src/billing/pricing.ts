import { z } from 'zod';
import { type Capability, capability } from '../catalog/capability.ts';
import { recordOf } from '../record-of.ts';
import { parseUsd } from './money.ts';
import { SERVICE_TIERS } from './service-tier.ts';
import { PARTS, type PriceName, UNITS, type UnitRule, wholeOf } from './units.ts';

/** US dollars with at most nine decimals, because the gateway counts in billionths of a dollar. */
const CATALOG_USD = { form: /^\d{1,9}(\.\d{1,9})?$/, decimals: 'nine' };
/** A price of the catalog, times the factor of a price list. */
const SELLING_USD = { form: /^\d{1,12}(\.\d{1,15})?$/, decimals: '15' };

const usd = (means: string, { decimals, form }: typeof CATALOG_USD) =>
  z
    .string()
    .regex(form, 'a price is a decimal string such as "0.15"')
    .meta({
      title: 'text such as `"0.15"`',
      description: `US dollars ${means}, with at most ${decimals} decimals.`,
    });

const shapeOf = (amount: typeof CATALOG_USD) =>
  recordOf(
    UNITS.map((rule) => {
      const price = usd(rule.price.means, amount).optional();
      const without = withoutPrice(rule);
      const described =
        without === undefined ? price : price.describe(`US dollars ${rule.price.means}${without}.`);
      return [rule.price.name, described] as const;
    }),
  );
const shape = shapeOf(CATALOG_USD);
const sellingShape = shapeOf(SELLING_USD);

/** Prices by their names in the catalog file. */
export const prices = z.strictObject(shape);
export type Prices = z.infer<typeof prices>;

/** More than the largest context of any model. */
const MAX_BOUND = 1_000_000_000;
const MAX_TIERS = 10;

const bound = {
  above_input_tokens: z
    .int()
    .min(1)
    .max(MAX_BOUND)
    .describe('The tier of a request whose input tokens, cached ones included, are more than this.'),
};

const priceTiers = z.array(z.strictObject({ ...bound, ...shape }));

const servicePricing = prices.extend({
  tiers: priceTiers
    .min(1)
    .max(MAX_TIERS)
    .optional()
    .describe('As `tiers` of `pricing`, with the same bounds, for requests of this service tier.'),
});
export type ServicePricing = z.infer<typeof servicePricing>;

/** The prices of service tiers, in the form of the catalog file. */
const serviceTiers = z.strictObject(
  recordOf(
    SERVICE_TIERS.map(
      (tier) =>
        [tier, servicePricing.optional().describe(`Its prices at the service tier \`${tier}\`.`)] as const,
    ),
  ),
);

/** The prices of a model, in the form of the catalog file. */
export const pricing = prices.extend({
  tiers: priceTiers
    .min(1)
    .max(MAX_TIERS)
    .optional()
    .describe(
      'For long contexts: the prices of requests whose input is above a bound, from the lowest bound to the ' +
        'highest. All of a request is at the tier of its input. A price that a tier leaves out is that of ' +
        '`pricing` itself.',
    ),
  service_tiers: serviceTiers
    .optional()
    .describe(
      'The prices of requests that the provider serves at another tier than its default: `flex`, `priority` ' +
        'or `batch`. A request may ask only for a tier that is listed. A price that a service tier leaves ' +
        'out is that of `pricing` itself, but those that the model needs must be there.',
    ),
});
export type Pricing = z.infer<typeof pricing>;

/** The prices that a payer is charged, which a price list may have multiplied. */
export const sellingPrices = z.strictObject(sellingShape);
export const sellingTiers = z.array(z.strictObject({ ...bound, ...sellingShape }));
const sellingContexts = sellingPrices.extend({ tiers: sellingTiers.optional() });
export const sellingServiceTiers = z.strictObject(
  recordOf(SERVICE_TIERS.map((tier) => [tier, sellingContexts.optional()] as const)),
);
export const sellingPricing = sellingContexts.extend({ service_tiers: sellingServiceTiers.optional() });

/** Describes the cost of a unit without a price, as the end of a sentence; undefined: there is no rule. */
function withoutPrice(rule: UnitRule): string | undefined {
  const whole = wholeOf(rule)?.price.name;
  switch (rule.withoutPrice) {
    case 'whole': {
      const bound = rule.isDiscount ? `not above \`${whole}\`, which` : `\`${whole}\``;
      return `; ${bound} counts where this is left out`;
    }
    case 'dearest':
      return `; where this is left out, the highest price of \`${whole}\` and its parts counts`;
    case 'dearest_call':
      return '; where this is left out, a request that asks for it is refused';
    default:
      return undefined;
  }
}

const PRICE_NAMES = UNITS.map(({ price }) => price.name);

/** The name in KNOWN_PRICES of price lists. */
export const PRICE_LISTS = 'price_lists';

/** The name in KNOWN_PRICES of guardrails: other releases would serve their models unchecked. */
export const GUARDRAILS = 'guardrails';

/** The names of prices that this release can charge, and of other members that it must not ignore. */
export const KNOWN_PRICES: readonly string[] = [
  ...PRICE_NAMES,
  'tiers',
  'service_tiers',
  PRICE_LISTS,
  GUARDRAILS,
];

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

export interface PriceProblem {
  /** The path in `pricing`. */
  path: (string | number)[];
  message: string;
}

/** Finds problems of any model: a discount that is above the full price, and tiers that are out of order. */
export function pricingProblems({ service_tiers: services = {}, ...base }: Pricing): PriceProblem[] {
  return [
    ...contextProblems(base),
    ...servicesOf(services).flatMap(({ own, path }) => [
      ...boundProblems(base, own, path),
      ...contextProblems(inForce(base, own)).map((problem) => ({
        ...problem,
        path: [...path, ...problem.path],
      })),
    ]),
  ];
}

interface PlacedService {
  own: ServicePricing;
  path: PriceProblem['path'];
}

function servicesOf(services: NonNullable<Pricing['service_tiers']>): PlacedService[] {
  return SERVICE_TIERS.flatMap((tier) => {
    const own = services[tier];
    return own === undefined ? [] : [{ own, path: ['service_tiers', tier] }];
  });
}

/** Returns the prices of a service tier, with those of the model that it leaves out. */
function inForce({ tiers: _, ...base }: ServicePricing, { tiers, ...own }: ServicePricing): ServicePricing {
  return { ...base, ...own, ...(tiers === undefined ? {} : { tiers }) };
}

/** A long context must not get the price of a short one because a service tier leaves its bound out. */
function boundProblems(
  { tiers: base = [] }: ServicePricing,
  { tiers: own = [] }: ServicePricing,
  path: PriceProblem['path'],
): PriceProblem[] {
  const [bounds, given] = [base, own].map((tiers) => tiers.map((tier) => tier.above_input_tokens).join(', '));
  if (bounds === given) return [];
  const message =
    bounds === ''
      ? 'only where `pricing` has tiers of its own'
      : `must have the same bounds as \`pricing.tiers\`: ${bounds}`;
  return [{ path: [...path, 'tiers'], message }];
}

function contextProblems({ tiers = [], ...base }: ServicePricing): PriceProblem[] {
  return [
    ...discountProblems(base, base, []),
    ...tiers.flatMap(({ above_input_tokens: above, ...own }, index) => {
      const path = ['tiers', index];
      const below = tiers[index - 1]?.above_input_tokens ?? 0;
      const isOrdered = index === 0 || above > below;
      const message = `must be above ${below}, the bound of the tier before`;
      return [
        ...(isOrdered ? [] : [{ path: [...path, 'above_input_tokens'], message }]),
        ...(Object.values(own).some((price) => price !== undefined)
          ? []
          : [{ path, message: 'has no price: leave it out' }]),
        ...discountProblems(own, { ...base, ...own }, path),
      ];
    }),
  ];
}

/** @param own the prices to report on @param all the prices in force together with them */
function discountProblems(own: Prices, all: Prices, path: PriceProblem['path']): PriceProblem[] {
  const dearer = PARTS.filter(
    ({ part, whole }) =>
      part.isDiscount === true &&
      (own[part.price.name] ?? own[whole.price.name]) !== undefined &&
      nano(all[part.price.name]) > nano(all[whole.price.name]),
  );
  const words = (price: PriceName) => price.replace('_per_million_usd', '').replaceAll('_', ' ');
  return dearer.map(({ part: { price }, whole }) => ({
    path: [...path, price.name],
    message: `${words(price.name)} must not cost more than ${words(whole.price.name)}`,
  }));
}

/** Finds problems of a paid model: prices that would never be charged, and prices that are missing. */
export function paidProblems(
  of: Capability,
  { service_tiers: services = {}, ...base }: Pricing,
): PriceProblem[] {
  const ofServices = servicesOf(services).flatMap(({ own, path }) =>
    paidTierProblems(of, own).map((problem) => ({ ...problem, path: [...path, ...problem.path] })),
  );
  return [...paidTierProblems(of, base), ...ofServices];
}

function paidTierProblems(of: Capability, { tiers = [], ...base }: ServicePricing): PriceProblem[] {
  const metered = METERED[of];
  const missing = NEEDED_PRICES[of].filter((price) => base[price] === undefined);
  const neverReached = tiers.length > 0 && !metered.includes('input_per_million_usd');
  return [
    ...idleProblems(of, base, []),
    ...missing.map((price) => ({ path: [price], message: `a paid ${of} model needs this price` })),
    ...(neverReached ? [{ path: ['tiers'], message: `${of} is not metered by input tokens` }] : []),
    ...tiers.flatMap(({ above_input_tokens: _, ...own }, index) => idleProblems(of, own, ['tiers', index])),
  ];
}

/** Finds prices that make no sense on a free model. */
export function freeProblems(pricing: Pricing): PriceProblem[] {
  return (['tiers', 'service_tiers'] as const).flatMap((member) =>
    pricing[member] === undefined ? [] : [{ path: [member], message: 'only a paid model has tiers' }],
  );
}

function idleProblems(of: Capability, own: Prices, path: PriceProblem['path']): PriceProblem[] {
  const metered = METERED[of];
  return PRICE_NAMES.filter((price) => !metered.includes(price) && nano(own[price]) > 0n).map((price) => ({
    path: [...path, price],
    message: `this would never be charged: ${of} is metered by ${metered.join(', ')}`,
  }));
}

/** Returns a price in nano-USD; 0 for a malformed price, which another check reports. */
function nano(price: string | undefined): bigint {
  return parseUsd(price ?? '0') ?? 0n;
}
