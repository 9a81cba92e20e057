import { z } from 'zod';
import { globMatcher } from '../rules/glob-matcher.ts';
import { type FlatPricing, flatPricing } from './flat-pricing.ts';
import { formatPrice, parseUsd } from './money.ts';
import { FACTOR_ONE, type Price, priceOf, withFactor } from './price.ts';
import { pricing } from './pricing.ts';

const FACTOR = /^(\d{1,3})(?:\.(\d{1,6}))?$/;
const MAX_MODELS = 1_000;
/** Maximum of versions that a price list keeps. */
export const MAX_PRICE_LIST_VERSIONS = 1_000;

const factor = z
  .string()
  .regex(FACTOR, 'a factor is a decimal string such as "1.2", with at most six decimals')
  .describe('Multiplies what the provider charges, such as `"1.2"` for 20 % more. At most six decimals.');

const priceListModel = z
  .strictObject({
    model: z
      .string()
      .min(1)
      .max(300)
      .describe('Id of a model, or a pattern of ids in which `*` stands for any characters.'),
    factor: factor.optional(),
    pricing: pricing.optional().describe('Fixed prices of one model, as in the catalog file.'),
  })
  .superRefine(({ factor: own, model, pricing: fixed }, context) => {
    if ((own === undefined) === (fixed === undefined))
      context.addIssue({ code: 'custom', message: 'needs either factor or pricing' });
    if (fixed !== undefined && model.includes('*'))
      context.addIssue({
        code: 'custom',
        path: ['model'],
        message: 'must be the id of one model, because it has fixed prices',
      });
  });

/** The terms of one version of a price list: a factor, and exceptions from it. */
export const priceListTerms = z.strictObject({
  factor: factor.default('1'),
  models: z
    .array(priceListModel)
    .max(MAX_MODELS)
    .default([])
    .describe('Exceptions from `factor`. The first that matches a model counts.'),
});
export type PriceListTerms = z.infer<typeof priceListTerms>;

/** One version of a price list. It never changes, so its number identifies the prices of a request. */
export class PriceListVersion {
  readonly number: number;
  /** Unix milliseconds. */
  readonly validFromMs: number;
  readonly #factor: bigint;
  readonly #models: {
    matches: (id: string) => boolean;
    factor: bigint;
    fixed: { price: Price; pricing: FlatPricing } | undefined;
  }[];
  /** Selling prices by the provider's price. */
  readonly #selling = new WeakMap<Price, Price>();

  constructor(number: number, validFromMs: number, terms: PriceListTerms) {
    this.number = number;
    this.validFromMs = validFromMs;
    this.#factor = parseFactor(terms.factor);
    this.#models = terms.models.map(({ factor: own = '1', model, pricing: fixed }) => ({
      matches: globMatcher([model]),
      factor: parseFactor(own),
      fixed: fixed && { price: priceOf(fixed), pricing: flatPricing(fixed) },
    }));
  }

  /** Returns the price that a payer is charged. @param cost the price that the provider charges */
  sellingPrice(modelId: string, cost: Price): Price {
    const known = this.#selling.get(cost);
    if (known !== undefined) return known;
    const found = this.#models.find(({ matches }) => matches(modelId));
    const selling = found?.fixed?.price ?? withFactor(cost, found?.factor ?? this.#factor);
    this.#selling.set(cost, selling);
    return selling;
  }

  /**
   * Returns the prices that a payer is charged by their names, exactly.
   * @param cost the prices that the provider charges. A price that only a newer release can read is left out
   */
  sellingPricing(modelId: string, cost: FlatPricing): FlatPricing {
    const found = this.#models.find(({ matches }) => matches(modelId));
    if (found?.fixed !== undefined) return found.fixed.pricing;
    const factor = found?.factor ?? this.#factor;
    if (factor === FACTOR_ONE) return cost;
    return Object.fromEntries(
      Object.entries(cost).flatMap(([name, usd]) => {
        const nanoUsd = parseUsd(usd);
        return nanoUsd === undefined ? [] : [[name, formatPrice(nanoUsd * factor)]];
      }),
    );
  }
}

/** A price list as the catalog message carries it. `terms` is JSON. */
export interface PriceListMessage {
  id: string;
  isDefault: boolean;
  versions: readonly { number: number; validFromMs: string | number; terms: string }[];
}

/** The price lists of a catalog. */
export class PriceLists {
  /** Versions of each list in the order of `byValidity`. */
  readonly #versions = new Map<string, readonly StoredVersion[]>();
  /** Versions that have been in force, by number. Most never are, and reading one takes a while. */
  readonly #read = new Map<number, PriceListVersion | 'unknown'>();
  readonly #defaultId: string | undefined;

  constructor(messages: readonly PriceListMessage[]) {
    for (const { id, versions } of messages) this.#versions.set(id, inOrder(versions));
    this.#defaultId = messages.find(({ isDefault }) => isDefault)?.id;
  }

  /**
   * Returns the version in force; undefined: payers are charged at cost.
   * @param id undefined: the default list, if there is one. It also counts until a list has a valid version
   * @returns 'unknown' for a list that has not arrived yet, or that only a newer release can read
   */
  inForce(id: string | undefined, nowMs: number): PriceListVersion | undefined | 'unknown' {
    const wanted = id ?? this.#defaultId;
    if (wanted === undefined) return undefined;
    const versions = this.#versions.get(wanted);
    if (versions === undefined) return 'unknown';
    const found = versions.find(({ validFromMs }) => validFromMs <= nowMs);
    if (found !== undefined) return this.#versionOf(found);
    return wanted === this.#defaultId ? undefined : this.inForce(undefined, nowMs);
  }

  #versionOf(stored: StoredVersion): PriceListVersion | 'unknown' {
    let version = this.#read.get(stored.number);
    if (version === undefined) {
      version = readVersion(stored);
      this.#read.set(stored.number, version);
    }
    return version;
  }
}

type VersionTime = Pick<PriceListVersion, 'number' | 'validFromMs'>;

/** Sorts the version that becomes valid last to the front. The first one that is valid is in force. */
export function byValidity(one: VersionTime, other: VersionTime): number {
  return other.validFromMs - one.validFromMs || other.number - one.number;
}

interface StoredVersion {
  number: number;
  validFromMs: number;
  terms: string;
}

function inOrder(versions: PriceListMessage['versions']): StoredVersion[] {
  return versions
    .map((version) => ({ ...version, validFromMs: Number(version.validFromMs) }))
    .sort(byValidity);
}

/** @returns 'unknown' for terms of a newer release */
function readVersion({ number, terms, validFromMs }: StoredVersion): PriceListVersion | 'unknown' {
  try {
    return new PriceListVersion(number, validFromMs, priceListTerms.parse(JSON.parse(terms)));
  } catch {
    return 'unknown';
  }
}

/** @returns millionths */
function parseFactor(text: string): bigint {
  const [, whole = '0', decimals = ''] = FACTOR.exec(text) ?? [];
  return BigInt(whole) * FACTOR_ONE + BigInt(decimals.padEnd(6, '0'));
}
