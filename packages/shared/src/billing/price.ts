import { fitCount, isCount } from './fit-units.ts';
import { parseUsd } from './money.ts';
import type { Prices, Pricing, ServicePricing } from './pricing.ts';
import { isAtBasePrice, isServiceTier, SERVICE_TIERS } from './service-tier.ts';
import {
  DEFAULT_CALL_PRICE,
  PARTS,
  type PriceName,
  perUnit,
  UNITS,
  type Unit,
  type UnitRule,
  type Units,
  unitColumnsOf,
  wholeOf,
} from './units.ts';

/** The cost of one unit, in millionths of a nano-USD: in these, every price of a catalog is whole. */
interface Rate {
  unit: Unit;
  each: bigint;
}

interface MaxRate extends Rate {
  /** The rates of the unit itself and of each of its parts. `each` is the highest of them. */
  parts: readonly Rate[];
}

/** The prices of requests with more input tokens than `above`. */
interface PriceTier {
  above: number;
  /** A part is also counted in its whole, so its rate is only the difference to the rate of the whole. */
  rates: readonly Rate[];
  /** For each unit that is no part: its highest rate in this tier and all below it. */
  maxRates: readonly MaxRate[];
  /** Caches `maxRates` without unused units, by the list of these. There are a few constant lists. */
  maxRatesWithout: WeakMap<readonly Unit[], readonly Rate[]>;
  /** Units without a price of their own. They are charged at another price; the provider's may differ. */
  unpriced: readonly Unit[];
}

export interface Price {
  /** Sorted by their bounds, the lowest first. The first tier has no bound. */
  tiers: readonly [PriceTier, ...PriceTier[]];
  /** The prices that hold in every tier. */
  names: ReadonlySet<PriceName>;
  /** Prices of requests that the provider serves at another service tier; left out: there are none. */
  serviceTiers?: ServiceTierPrices | undefined;
  /** Multiplies all of it, in millionths (FACTOR_ONE); undefined: 1. */
  factor?: bigint;
}

interface ServiceTierPrices {
  byTier: ReadonlyMap<string, Price>;
  /** Each unit at the higher one of its prices at the tier and without a tier. */
  heldByTier: ReadonlyMap<string, Price>;
  /** Each unit at its highest price in any service tier, the default one included. */
  dearest: Price;
}

export interface PricedUnits {
  units: Units;
  price: Price;
}

export const PER_MILLION = 1_000_000n;
/** Any tier without a price. */
const UNKNOWN_TIER = 'unknown';
/** The factor 1 of a price. */
export const FACTOR_ONE = 1_000_000n;

/** The highest cost of a request: a million US dollars. Sums of thousands of these still fit 64 bits. */
export const MAX_COST = 1_000_000_000_000_000n;

/** Parses the pricing of the catalog. A unit without a price costs what `withoutPrice` of its rule says. */
export function priceOf(pricing: Pricing): Price {
  const price = builtPrice(contextRates(pricing));
  const tiers = SERVICE_TIERS.filter((tier) => pricing.service_tiers?.[tier] !== undefined);
  if (tiers.length === 0) return price;
  const byTier = new Map(tiers.map((tier) => [tier, builtPrice(contextRates(pricing, tier))]));
  const dearest = (among: Pricing) => builtPrice(contextRates(among, UNKNOWN_TIER));
  const heldByTier = new Map(
    tiers.map((tier) => {
      const alone = { [tier]: pricing.service_tiers?.[tier] };
      return [tier, dearest({ ...pricing, service_tiers: alone })];
    }),
  );
  return { ...price, serviceTiers: { byTier, heldByTier, dearest: dearest(pricing) } };
}

/**
 * Returns the price of requests at a service tier, by `readServiceTier`. A tier without a price of its own
 * costs as much as the dearest, and `isTierPriced` is false.
 */
export function priceAtTier(price: Price, tier: string | undefined): Price {
  if (isAtBasePrice(tier)) return price;
  return price.serviceTiers?.byTier.get(tier ?? '') ?? price.serviceTiers?.dearest ?? price;
}

/**
 * Returns the price at which a request for a service tier is reserved: the provider may serve it at the
 * default tier, even if that is dearer.
 * @param tier as in `priceAtTier`
 */
export function priceToHold(price: Price, tier: string | undefined): Price {
  return price.serviceTiers?.heldByTier.get(tier ?? '') ?? priceAtTier(price, tier);
}

export function isTierPriced({ serviceTiers }: Price, tier: string | undefined): boolean {
  return isAtBasePrice(tier) || serviceTiers?.byTier.has(tier ?? '') === true;
}

/** Prices of requests with more input tokens than `above`. */
interface ContextPrices {
  above: number;
  prices: Prices;
}

/** The costs of one of each unit: `own` by its own price, `each` by its own or the substitute's. */
interface ContextRates {
  above: number;
  own: Each;
  each: Each;
}

const NO_BOUND = Number.NEGATIVE_INFINITY;

/**
 * Returns the costs of one of each unit at a service tier, from the lowest bound to the highest.
 * @param tier as in `priceAtTier`
 * @param parse as in `eachUnit`
 */
export function contextRates(
  { service_tiers: services = {}, ...pricing }: Pricing,
  tier?: string,
  parse: ParsePrice = parseUsd,
): ContextRates[] {
  const base = contextsOf(pricing);
  const ratesIn = ({ above, prices }: ContextPrices) => ({ above, ...eachUnit(prices, parse) });
  if (isAtBasePrice(tier)) return base.map(ratesIn);
  const own = isServiceTier(tier) ? services[tier] : undefined;
  if (own !== undefined) return overBase(base, own).map(ratesIn);
  const all = Object.values(services).flatMap((other) =>
    other === undefined ? [] : [overBase(base, other)],
  );
  return dearestOf([base, ...all], parse);
}

function contextsOf({ tiers = [], ...prices }: ServicePricing): ContextPrices[] {
  const ofTier = ({ above_input_tokens: above, ...own }: NonNullable<ServicePricing['tiers']>[number]) => ({
    above,
    prices: { ...defined(prices), ...defined(own) },
  });
  return [{ above: NO_BOUND, prices: defined(prices) }, ...tiers.map(ofTier)];
}

/** Returns the prices of a service tier, with those of the model that it leaves out. */
function overBase(base: readonly ContextPrices[], pricing: ServicePricing): ContextPrices[] {
  const own = contextsOf(pricing);
  return boundsOf([base, own]).map((above) => ({
    above,
    prices: { ...inContext(base, above), ...inContext(own, above) },
  }));
}

function boundsOf(lists: readonly (readonly ContextPrices[])[]): number[] {
  return [...new Set(lists.flat().map(({ above }) => above))].sort((left, right) => left - right);
}

function inContext(list: readonly ContextPrices[], bound: number): Prices {
  return list.findLast(({ above }) => above <= bound)?.prices ?? {};
}

/** Returns the highest price of each unit in any of the lists. */
function dearestOf(lists: readonly (readonly ContextPrices[])[], parse: ParsePrice): ContextRates[] {
  return boundsOf(lists).map((above) => {
    const all = lists.map((list) => eachUnit(inContext(list, above), parse));
    return {
      above,
      own: perUnit('unit', ({ unit }) => highest(all.map(({ own }) => own[unit]))),
      each: perUnit('unit', ({ unit }) => highest(all.map(({ each }) => each[unit]))),
    };
  });
}

function builtPrice([lowest, ...others]: readonly ContextRates[]): Price {
  if (lowest === undefined) throw new Error('a price has no context');
  const first = priceTier(lowest, []);
  const tiers: [PriceTier, ...PriceTier[]] = [first];
  let below = first;
  for (const context of others) {
    below = priceTier(context, below.maxRates);
    tiers.push(below);
  }
  const priced = UNITS.filter(({ unit }) => lowest.own[unit] !== undefined);
  return { tiers, names: new Set(priced.map(({ price }) => price.name)) };
}

/** Multiplies a price. @param factor in millionths */
export function withFactor(price: Price, factor: bigint): Price {
  if (factor === FACTOR_ONE) return price;
  const { serviceTiers } = price;
  if (serviceTiers === undefined) return { ...price, factor };
  const each = (prices: ReadonlyMap<string, Price>) =>
    new Map([...prices].map(([tier, own]) => [tier, withFactor(own, factor)] as const));
  const { byTier, dearest, heldByTier } = serviceTiers;
  return {
    ...price,
    factor,
    serviceTiers: {
      byTier: each(byTier),
      heldByTier: each(heldByTier),
      dearest: withFactor(dearest, factor),
    },
  };
}

/** Sums up all units and rounds up once to whole nano-USD (docs/billing.md, "What is charged"). */
export function costOf(units: Units, price: Price): bigint {
  return roundedUp(exactCost(units, tierOf(price, units).rates), price.factor);
}

/** Sums up all parts of a request, each at its own price, and rounds up once. */
export function costOfParts(parts: readonly PricedUnits[]): bigint {
  const exact = (sum: bigint, { price, units }: PricedUnits) =>
    sum + exactCost(units, tierOf(price, units).rates) * (price.factor ?? FACTOR_ONE);
  return roundedUp(parts.reduce(exact, 0n), 1n);
}

/**
 * Returns the maximum cost of a request with at most these units: each at the highest price of its parts, in
 * all tiers that the request can reach.
 * @param unused parts of units that the request cannot use; a constant list, because results are cached by it
 */
export function maxCostOf(maxUnits: Units, price: Price, unused: readonly Unit[] = NONE): bigint {
  const { maxRates, maxRatesWithout } = tierOf(price, maxUnits);
  let rates = maxRatesWithout.get(unused);
  if (rates === undefined) {
    rates = maxRates.map((rate) => withoutParts(rate, unused));
    maxRatesWithout.set(unused, rates);
  }
  return roundedUp(exactCost(maxUnits, rates), price.factor);
}

function withoutParts({ parts, unit }: MaxRate, unused: readonly Unit[]): Rate {
  const each = highest(parts.map((part) => (unused.includes(part.unit) ? undefined : part.each)));
  return { unit, each: each ?? 0n };
}

/** Returns true if a request can cost something for any of these units. */
export function canCost(price: Price, units: readonly Unit[]): boolean {
  return price.tiers.some(({ maxRates }) => maxRates.some(({ unit }) => units.includes(unit)));
}

const NONE: readonly Unit[] = [];

/** Returns the used units that are charged although the model has no price for them. */
export function unpricedUnits(units: Units, price: Price): readonly Unit[] {
  const { unpriced } = tierOf(price, units);
  // Hardly any request has such a unit, so the usual case allocates nothing.
  return unpriced.some((unit) => units[unit] > 0) ? unpriced.filter((unit) => units[unit] > 0) : NONE;
}

/** The name in receipts and metrics of a service tier that has no price. */
export const UNPRICED_TIER = 'service_tier';

/**
 * Returns the columns of the units that are charged although the model has no price for them, and
 * UNPRICED_TIER for a service tier without one.
 */
export function unpricedColumns(units: Units, price: Price, tier: string | undefined): string[] {
  const columns = unitColumnsOf(unpricedUnits(units, priceAtTier(price, tier)));
  return isTierPriced(price, tier) ? columns : [...columns, UNPRICED_TIER];
}

/** Finds the tier of a whole request by its input tokens, cached ones included. */
function tierOf({ tiers }: Price, { inputTokens }: Units): PriceTier {
  if (tiers.length === 1) return tiers[0];
  return tiers.findLast(({ above }) => inputTokens > above) ?? tiers[0];
}

function exactCost(units: Units, rates: readonly Rate[]): bigint {
  let sum = 0n;
  for (const { unit, each } of rates) {
    const count = units[unit];
    if (count !== 0) sum += BigInt(isCount(count) ? count : fitCount(count)) * each;
  }
  return sum;
}

/** @param factor in millionths; undefined: 1 */
function roundedUp(millionths: bigint, factor?: bigint): bigint {
  const nanoUsd =
    factor === undefined
      ? divideUp(millionths, PER_MILLION)
      : divideUp(millionths * factor, PER_MILLION * FACTOR_ONE);
  if (nanoUsd < 0n) return 0n;
  return nanoUsd > MAX_COST ? MAX_COST : nanoUsd;
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

/** @param below the `maxRates` of the tier below */
function priceTier({ above, each, own }: ContextRates, below: readonly MaxRate[]): PriceTier {
  const rates = UNITS.flatMap((rule) => {
    const [whole, price] = [wholeOf(rule), each[rule.unit]];
    const already = whole === undefined ? 0n : (each[whole.unit] ?? 0n);
    return price === undefined || price === already ? [] : [{ unit: rule.unit, each: price - already }];
  });
  const maxRates = UNITS.filter((rule) => wholeOf(rule) === undefined).flatMap((rule) => {
    const inTiersBelow = below.find(({ unit }) => unit === rule.unit)?.parts;
    const parts = withParts(rule).flatMap(({ unit }) => {
      const dearest = highest([inTiersBelow?.find((part) => part.unit === unit)?.each, each[unit]]);
      return dearest === undefined ? [] : [{ unit, each: dearest }];
    });
    const dearest = highest(parts.map((part) => part.each));
    return dearest === undefined || dearest === 0n ? [] : [{ unit: rule.unit, each: dearest, parts }];
  });
  const unpriced = UNITS.filter(({ unit, withoutPrice }) => {
    const isAssumed = withoutPrice === 'dearest' || withoutPrice === 'dearest_call';
    return isAssumed && own[unit] === undefined && each[unit] !== undefined;
  });
  return {
    above,
    rates,
    maxRates,
    maxRatesWithout: new WeakMap(),
    unpriced: unpriced.map(({ unit }) => unit),
  };
}

type Each = Record<Unit, bigint | undefined>;

/**
 * Returns the cost of one of each unit, in millionths of what `parse` returns. `own`: by its own price;
 * `each`: by its own or the substitute's price. Undefined: free.
 * @param parse reads a price: of the catalog as nano-USD, or a selling price (parsePrice)
 */
function eachUnit(prices: Prices, parse: ParsePrice): { own: Each; each: Each } {
  const own = perUnit('unit', ({ price: { name, per } }) => millionths(prices[name], per, parse));
  return { own, each: perUnit('unit', (rule) => own[rule.unit] ?? assumed(rule, own, parse)) };
}

type ParsePrice = (usd: string) => bigint | undefined;

function assumed(rule: UnitRule, own: Each, parse: ParsePrice): bigint | undefined {
  const whole = wholeOf(rule);
  switch (rule.withoutPrice) {
    case 'whole':
      return whole === undefined ? undefined : own[whole.unit];
    case 'dearest':
      return whole === undefined ? undefined : highest(withParts(whole).map(({ unit }) => own[unit]));
    case 'dearest_call': {
      const calls = UNITS.filter(({ withoutPrice }) => withoutPrice === 'dearest_call');
      return highest(calls.map(({ unit }) => own[unit])) ?? millionths(DEFAULT_CALL_PRICE, 1, parse);
    }
    default:
      return undefined;
  }
}

function withParts(rule: UnitRule): UnitRule[] {
  return [rule, ...PARTS.filter(({ whole }) => whole === rule).map(({ part }) => part)];
}

function highest(prices: readonly (bigint | undefined)[]): bigint | undefined {
  return prices.reduce(
    (left, right) => (left === undefined || (right !== undefined && right > left) ? right : left),
    undefined,
  );
}

function millionths(usd: string | undefined, per: number, parse: ParsePrice): bigint | undefined {
  return usd === undefined ? undefined : ((parse(usd) ?? invalid(usd)) * PER_MILLION) / BigInt(per);
}

function defined(prices: Prices): Prices {
  return Object.fromEntries(Object.entries(prices).filter(([, usd]) => usd !== undefined));
}

function invalid(usd: string): never {
  throw new Error(`"${usd}" is not a price`);
}
