import { type Capability, type PriceName, type ServiceTier, shortUsd } from '@model-gateway/shared';
import { exactNanoUsd, isZero } from './exact-json.ts';

/** The place of a source's price in `pricing`, and its unit. */
export interface SourcePrice {
  name: PriceName;
  /** The `above_input_tokens` of its tier for long contexts. */
  above?: number | undefined;
  serviceTier?: ServiceTier | undefined;
  /** The power of ten between the source's unit and the catalog's: 6 for a price per token. */
  power: number;
}

/**
 * - `unknown`: a field that this release does not know, and that may be a price
 * - `not_carried`: a known price that the catalog has no member for, or that the gateway does not meter
 * - `inexact`: a price with more than nine decimals, which cannot be charged exactly
 * - `zero`: 0, which is not taken for a price
 * - `promotion`: a temporary price
 * - `other_tiers`: the bound of a tier for long contexts that the catalog does not have
 * - `refused_so_far`: the price of a tool's calls or a service tier, which would allow requests for them
 * - `invalid_tier`: the control plane would refuse a service tier with these prices
 * - `invalid`: the control plane would refuse the prices
 */
export type NoteKind =
  | 'unknown'
  | 'not_carried'
  | 'inexact'
  | 'zero'
  | 'promotion'
  | 'other_tiers'
  | 'refused_so_far'
  | 'invalid_tier'
  | 'invalid';

export interface SourceNote {
  kind: NoteKind;
  /** The field in the source. */
  field: string;
  value: string;
  /** The last day of a promotion, such as 2026-12-31; undefined: the source names none. */
  until?: string | undefined;
}

/** A model as a source describes it, in the terms of the catalog. */
export interface SourceModel {
  /** Prices by their flat names (flat-pricing.ts of shared). */
  prices: Map<string, string>;
  notes: SourceNote[];
  /** Values of `context_length` that agree with the source. A sync applies the first one. */
  contexts: number[];
  maxOutput: number | undefined;
  inputModalities: string[] | undefined;
  outputModalities: string[] | undefined;
}

export type SourceFormat = 'litellm' | 'models.dev' | 'openrouter';

export interface PriceSourceFile {
  format: SourceFormat;
  /** Entries by key: as in litellm's file, `<provider>/<model>` of models.dev, or ids of OpenRouter. */
  entries: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  read(entry: Readonly<Record<string, unknown>>, capability: Capability): SourceModel;
}

export function emptySourceModel(): SourceModel {
  return {
    prices: new Map(),
    notes: [],
    contexts: [],
    maxOutput: undefined,
    inputModalities: undefined,
    outputModalities: undefined,
  };
}

/**
 * Adds a price of a source, or a note why it is left out.
 * @param metered the prices that the capability can charge
 */
export function addPrice(
  model: SourceModel,
  {
    field,
    metered,
    price,
    value,
  }: {
    field: string;
    value: string;
    price: SourcePrice | undefined;
    metered: readonly PriceName[];
  },
): void {
  if (price === undefined || !metered.includes(price.name)) {
    // The gateway does not meter the unit, so 0 needs no note.
    if (!isZero(value)) model.notes.push({ kind: 'not_carried', field, value });
    return;
  }
  if (isZero(value)) {
    model.notes.push({ kind: 'zero', field, value });
    return;
  }
  const nanoUsd = exactNanoUsd(value, price.power);
  const name = flatName(price);
  if (nanoUsd === undefined) model.notes.push({ kind: 'inexact', field, value });
  else if (model.prices.has(name)) {
    if (model.prices.get(name) !== shortUsd(nanoUsd)) model.notes.push({ kind: 'not_carried', field, value });
  } else model.prices.set(name, shortUsd(nanoUsd));
}

/** Returns the flat name of a price, such as `service_tiers.flex.tiers.200000.input_per_million_usd`. */
function flatName({ above, name, serviceTier }: SourcePrice): string {
  const inService = above === undefined ? name : `tiers.${above}.${name}`;
  return serviceTier === undefined ? inService : `service_tiers.${serviceTier}.${inService}`;
}

/** Finds the last day of a promotion in a text. */
export function promotionEnd(text: string): string | undefined {
  return /\b20\d\d-\d\d-\d\d\b/.exec(text)?.[0];
}

/** Returns the text of a value for a note. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Reads a whole number above 0. */
export function countOf(value: unknown): number | undefined {
  const count = Number(typeof value === 'string' ? value : undefined);
  return Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

/** Returns an object; empty for any other value. */
export function recordOrEmpty(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** Reads the names of modalities. The catalog calls documents `file`. */
export function modalitiesOf(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((name) => (typeof name === 'string' ? [name === 'pdf' ? 'file' : name] : []));
}
