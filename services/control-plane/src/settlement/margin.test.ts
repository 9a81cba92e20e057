import {
  NO_UNITS,
  PARTS,
  type PriceListTerms,
  PriceListVersion,
  type PriceName,
  type Pricing,
  priceOf,
  UNITS,
  type Units,
} from '@model-gateway/shared';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ReportedRequest } from './reported-request.ts';
import { priceRequest } from './settled-record.ts';

/** An exact number of US dollars: over / under. */
interface Fraction {
  over: bigint;
  under: bigint;
}

const NANO = 1_000_000_000n;
const MAX_NANO = 10n ** 15n;
const CHAT = UNITS.filter(({ meters }) => 'chat' in meters);
const MODELS = ['acme/large', 'acme/small', 'zed/tiny'] as const;
const PATTERNS = ['*', 'acme/*', '*/small', ...MODELS] as const;

const decimal = (maxWhole: number, maxDecimals: number) =>
  fc
    .tuple(fc.nat(maxWhole), fc.integer({ min: 0, max: maxDecimals }), fc.nat(10 ** maxDecimals - 1))
    .map(([whole, digits, rest]) =>
      digits === 0 ? String(whole) : `${whole}.${String(rest).padStart(maxDecimals, '0').slice(-digits)}`,
    );
/** Every price that a chat can have, so that no price stands in for another. */
const pricing: fc.Arbitrary<Pricing> = fc.tuple(...CHAT.map(() => decimal(200, 9))).map((each) => {
  const prices: Pricing = {};
  for (const [index, { price }] of CHAT.entries()) prices[price.name] = each[index];
  return prices;
});
const factor = decimal(20, 6);
const units: fc.Arbitrary<Units> = fc.tuple(...CHAT.map(() => fc.nat(50_000))).map((counts) => {
  const own: Units = { ...NO_UNITS };
  for (const [index, { unit }] of CHAT.entries()) own[unit] = counts[index] ?? 0;
  // A whole counts its parts, too.
  for (const { part, whole } of PARTS) own[whole.unit] += own[part.unit];
  return own;
});
const entry = fc.oneof(
  fc.record({ model: fc.constantFrom(...PATTERNS), factor }),
  fc.record({ model: fc.constantFrom(...MODELS), pricing }),
);
const terms: fc.Arbitrary<PriceListTerms> = fc.record({ factor, models: fc.array(entry, { maxLength: 5 }) });
const used = fc.record({ model: fc.constantFrom(...MODELS), units, cost: pricing });

function fraction(text: string): Fraction {
  const [whole = '', decimals = ''] = text.split('.');
  return { over: BigInt(whole + decimals), under: 10n ** BigInt(decimals.length) };
}

function times(left: Fraction, right: Fraction): Fraction {
  return { over: left.over * right.over, under: left.under * right.under };
}

function plus(left: Fraction, right: Fraction): Fraction {
  return { over: left.over * right.under + right.over * left.under, under: left.under * right.under };
}

/** Rounds up to whole nano-USD. */
function nanoUsd({ over, under }: Fraction): bigint {
  const up = (over * NANO + under - 1n) / under;
  return up > MAX_NANO ? MAX_NANO : up;
}

/** Adds up all units without their parts, each at its own price. */
function exact(counts: Units, prices: Pricing): Fraction {
  const priceText = (name: PriceName) => prices[name] ?? '0';
  return CHAT.map(({ price: { name, per }, unit }) => {
    const inParts = PARTS.filter(({ whole }) => whole.unit === unit).map(({ part }) => counts[part.unit]);
    const alone = counts[unit] - inParts.reduce((sum, count) => sum + count, 0);
    return times(fraction(priceText(name)), { over: BigInt(alone), under: BigInt(per) });
  }).reduce(plus, { over: 0n, under: 1n });
}

function exactCharge(list: PriceListTerms, { cost, model, units: counts }: UsedModel): Fraction {
  const found = list.models.find((each) => {
    const [before = '', after] = each.model.split('*');
    return after === undefined ? each.model === model : model.startsWith(before) && model.endsWith(after);
  });
  if (found?.pricing !== undefined) return exact(counts, found.pricing);
  return times(exact(counts, cost), fraction(found?.factor ?? list.factor));
}

interface UsedModel {
  model: string;
  units: Units;
  cost: Pricing;
}

function requestOf({ model, units: counts }: UsedModel, parts: readonly UsedModel[]): ReportedRequest {
  return {
    requestId: 'req_1',
    modelId: model,
    capability: 'chat',
    owner: { accountId: 'acct_1' },
    keyId: 'key_1',
    priceVersion: 1,
    priceListVersion: 7,
    units: counts,
    parts: parts.map((part) => ({ modelId: part.model, priceVersion: 1, units: part.units })),
    usageSource: 'provider',
    billingReason: 'completed',
    held: 0n,
    endedAtMs: 0,
    attempts: [],
    clampedFields: new Set(),
  };
}

it('what a payer is charged, and what the provider charges, follow the price list to the nano-dollar', () => {
  fc.assert(
    fc.property(used, fc.array(used, { maxLength: 3 }), terms, (own, parts, list) => {
      const record = priceRequest(
        requestOf(own, parts),
        {
          price: priceOf(own.cost),
          parts: parts.map((part) => ({
            modelId: part.model,
            priceVersion: 1,
            units: part.units,
            price: priceOf(part.cost),
          })),
          list: new PriceListVersion(7, 0, list),
        },
        0,
      );
      const all = parts.length === 0 ? [own] : parts;
      const charged = nanoUsd(all.map((each) => exactCharge(list, each)).reduce(plus));
      const cost = nanoUsd(all.map((each) => exact(each.units, each.cost)).reduce(plus));
      expect(record.cost).toBe(String(charged));
      expect(record.providerCost).toBe(String(cost));
      expect(BigInt(record.cost) - BigInt(record.providerCost ?? 0)).toBe(charged - cost);
      expect(record.priceListVersion).toBe(7);
    }),
    { numRuns: 300 },
  );
});
