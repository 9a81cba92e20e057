import { isDeepStrictEqual } from 'node:util';
import type { CatalogMessage, ModelMessage } from '@model-gateway/contracts';
import {
  type Capability,
  capability,
  type FlatPricing,
  filePricing,
  NEEDED_PRICES,
  paidProblems,
  parseUsd,
  pricing,
  pricingProblems,
  shortUsd,
  UNITS,
} from '@model-gateway/shared';
import { unitPrices } from '@model-gateway/shared/prices';
import { matchModel } from './match-models.ts';
import type { NoteKind, PriceSourceFile, SourceModel, SourceNote } from './source-model.ts';

/**
 * - `compared`: the source has its prices
 * - `not_in_source`: the source has no entry for this model at this provider
 * - `ambiguous`: several entries fit, with different prices
 * - `no_price`: the entry lacks a price that the model needs, or has 0 for it
 * - `promotion`: the prices of the entry are temporary
 * - `free`: a free model has no prices
 */
export type MatchState = 'compared' | 'not_in_source' | 'ambiguous' | 'no_price' | 'promotion' | 'free';

export interface PriceChange {
  /** The path in `pricing`, such as `tiers.200000.input_per_million_usd`. */
  price: string;
  /** The catalog's price, or the one that applies without it; null: the unit is refused or free. */
  current: string | null;
  source: string;
  /** Relative to `current`; null: `current` is null or 0. */
  change_percent: number | null;
}

export interface LimitChange {
  member: 'context_length' | 'max_output_tokens' | 'input_modalities' | 'output_modalities';
  current: number | string[] | null;
  source: number | string[];
}

export interface ModelComparison {
  model: string;
  state: MatchState;
  /** Keys of matching entries in the source. */
  entries: string[];
  changes: PriceChange[];
  limits: LimitChange[];
  /** Prices of the catalog that the source does not have, and that are kept. */
  kept: string[];
  notes: SourceNote[];
}

export interface CompareOptions {
  /** Keys of entries by model that the operator has chosen. */
  matches: ReadonlyMap<string, string>;
  /** True: adds service tiers that a model does not have. */
  addsServiceTiers: boolean;
}

/** Prices of calls of a provider's tools. */
const TOOL_CALL_PRICES: readonly string[] = UNITS.filter(
  ({ withoutPrice }) => withoutPrice === 'dearest_call',
).map(({ price }) => price.name);

/** Compares each model of the catalog with its entry in a source. */
export function comparePrices(
  { models, providers }: Pick<CatalogMessage, 'models' | 'providers'>,
  source: PriceSourceFile,
  options: CompareOptions,
): ModelComparison[] {
  const byId = new Map(providers.map((provider) => [provider.id, provider]));
  return models.map((model) => {
    const result: ModelComparison = {
      ...{ model: model.id, state: 'free', entries: [], changes: [], limits: [], kept: [], notes: [] },
    };
    if (model.tier === 'free') return result;
    const chosen = options.matches.get(model.id);
    result.entries =
      chosen === undefined
        ? [
            ...new Set(
              model.upstreams.flatMap(({ provider, model: name }) => {
                const at = byId.get(provider);
                return at === undefined ? [] : matchModel(source, at, name);
              }),
            ),
          ]
        : [chosen];
    const read = result.entries.flatMap((key) => readEntry(source, key, model.capability));
    const [first, ...others] = read;
    if (first === undefined) return { ...result, state: 'not_in_source' };
    if (others.some(({ prices }) => !isDeepStrictEqual(prices, first.prices)))
      return { ...result, state: 'ambiguous' };
    return compareModel(result, model, first, options);
  });
}

function readEntry(source: PriceSourceFile, key: string, of: string): SourceModel[] {
  const entry = source.entries.get(key);
  const aliased = entry?.alias_of === undefined ? entry : source.entries.get(String(entry.alias_of));
  const known = capability.safeParse(of).data;
  return aliased === undefined || known === undefined ? [] : [source.read(aliased, known)];
}

function compareModel(
  result: ModelComparison,
  model: ModelMessage,
  source: SourceModel,
  { addsServiceTiers }: CompareOptions,
): ModelComparison {
  const own: FlatPricing = model.pricing;
  const compared = { ...result, notes: [...source.notes], limits: limitChanges(model, source) };
  if (source.notes.some(({ kind }) => kind === 'promotion')) compared.state = 'promotion';
  else {
    // A price of 0 in the catalog means that other units are billed, such as tokens of images.
    const needed = NEEDED_PRICES[capability.parse(model.capability)].filter(
      (name) => parseUsd(own[name] ?? '') !== 0n,
    );
    compared.state = needed.every((name) => source.prices.has(name)) ? 'compared' : 'no_price';
  }
  const { bounds, notes } = otherTiers(own, source);
  compared.notes.push(...notes);
  const usable = [...source.prices].filter(([price, value]) => {
    const isRefused =
      isRefusedWithout(own, price) && !(addsServiceTiers && serviceTierOf(price) !== undefined);
    if (isRefused) compared.notes.push({ kind: 'refused_so_far', field: price, value });
    return !isRefused && !bounds.some((bound) => price.includes(`tiers.${bound}.`));
  });
  if (compared.state === 'no_price') return compared;
  const changes = usable.flatMap(([price, usd]) => changeOf(own, price, usd));
  const of = capability.parse(model.capability);
  const wrongTiers = problemsAfter(of, own, changes).filter(({ path }) => path[0] === 'service_tiers');
  const isWrong = (price: string) => wrongTiers.some(({ path }) => path[1] === serviceTierOf(price));
  compared.changes = changes.filter(({ price }) => !isWrong(price));
  compared.kept = Object.keys(own).filter((price) => !source.prices.has(price) || isWrong(price));
  const problems = problemsAfter(of, own, compared.changes);
  compared.notes.push(...wrongTiers.map(noteOf('invalid_tier')), ...problems.map(noteOf('invalid')));
  return compared;
}

type Problem = Pick<ReturnType<typeof pricingProblems>[number], 'message'> & { path: PropertyKey[] };

/** Finds what the control plane would refuse. One refused model would stop the sync of all others. */
function problemsAfter(of: Capability, own: FlatPricing, changes: readonly PriceChange[]): Problem[] {
  const after = { ...own, ...Object.fromEntries(changes.map(({ price, source }) => [price, source])) };
  const { data, error } = pricing.safeParse(filePricing(after));
  return data === undefined ? error.issues : [...pricingProblems(data), ...paidProblems(of, data)];
}

function noteOf(kind: NoteKind) {
  return ({ message, path }: Problem): SourceNote => ({ kind, field: path.join('.'), value: message });
}

/** Returns true if the gateway refuses tool calls or a tier until the catalog has this price. */
function isRefusedWithout(own: FlatPricing, price: string): boolean {
  const tier = serviceTierOf(price);
  return tier === undefined
    ? TOOL_CALL_PRICES.includes(price) && own[price] === undefined
    : !hasServiceTier(own, tier);
}

function serviceTierOf(price: string): string | undefined {
  return /^service_tiers\.([^.]+)\./.exec(price)?.[1];
}

function hasServiceTier(own: FlatPricing, tier: string): boolean {
  return Object.keys(own).some((price) => serviceTierOf(price) === tier);
}

/** Returns the source's bounds of tiers that the catalog lacks, if it has tiers: they must not be mixed. */
function otherTiers(own: FlatPricing, { prices }: SourceModel): { bounds: string[]; notes: SourceNote[] } {
  const boundsOf = (names: Iterable<string>) =>
    new Set([...names].flatMap((name) => /(?:^|\.)tiers\.(\d+)\./.exec(name)?.[1] ?? []));
  const [current, found] = [boundsOf(Object.keys(own)), boundsOf(prices.keys())];
  if (current.size === 0 || isDeepStrictEqual(current, found)) return { bounds: [], notes: [] };
  const bounds = [...found].filter((bound) => !current.has(bound));
  return {
    bounds,
    notes: bounds.map((bound) => ({
      ...{ kind: 'other_tiers', field: 'above_input_tokens', value: bound },
    })),
  };
}

/** Returns the change of a price; none if the same price applies already. */
function changeOf(own: FlatPricing, price: string, usd: string): PriceChange[] {
  const [before, after] = [parseUsd(own[price] ?? chargedWithout(own, price) ?? ''), parseUsd(usd)];
  if (after === undefined || before === after) return [];
  const percent =
    before === undefined || before === 0n ? null : Number(((after - before) * 1_000n) / before) / 10;
  const current = before === undefined ? null : shortUsd(before);
  return [{ price, current, source: usd, change_percent: percent }];
}

/** Returns the price that applies to a unit without a price; undefined: the unit is free or refused. */
function chargedWithout(own: FlatPricing, price: string): string | undefined {
  const [, serviceTier, bound = '0', name] =
    /^(?:service_tiers\.([^.]+)\.)?(?:tiers\.(\d+)\.)?([^.]+)$/.exec(price) ?? [];
  const rule = UNITS.find((each) => each.price.name === name);
  if (rule === undefined || rule.withoutPrice === 'dearest_call') return undefined;
  if (serviceTier !== undefined && !hasServiceTier(own, serviceTier)) return undefined;
  return unitPrices(own, { inputTokens: Number(bound) + 1, serviceTier })[rule.unit];
}

function limitChanges(model: ModelMessage, source: SourceModel): LimitChange[] {
  // For other capabilities, sources count only the input, and use other words for modalities.
  if (model.capability !== 'chat') return [];
  const [context] = source.contexts;
  const { contextLength, inputModalities, maxOutputTokens, outputModalities } = model;
  const changes: LimitChange[] = [];
  if (context !== undefined && (contextLength === undefined || !source.contexts.includes(contextLength)))
    changes.push({ member: 'context_length', current: contextLength ?? null, source: context });
  if (source.maxOutput !== undefined && source.maxOutput !== maxOutputTokens)
    changes.push({ member: 'max_output_tokens', current: maxOutputTokens ?? null, source: source.maxOutput });
  const isSame = (one: readonly string[], other: readonly string[]) =>
    isDeepStrictEqual(new Set(one), new Set(other));
  if (source.inputModalities !== undefined && !isSame(inputModalities, source.inputModalities))
    changes.push({ member: 'input_modalities', current: inputModalities, source: source.inputModalities });
  if (source.outputModalities !== undefined && !isSame(outputModalities, source.outputModalities))
    changes.push({ member: 'output_modalities', current: outputModalities, source: source.outputModalities });
  return changes;
}

/** Returns true if the comparison changes prices of the catalog. */
export function isApplicable({ notes, state }: ModelComparison): boolean {
  return state === 'compared' && notes.every(({ kind }) => kind !== 'invalid');
}

/** Returns true if a context or a maximum output shrinks, or is new, so that requests may be refused. */
export function isNarrower({ current, source }: LimitChange): boolean {
  return typeof source === 'number' && (typeof current !== 'number' || source < current);
}

/** Returns true if a price changes by more than a percentage, or is new without one to compare it with. */
export function isAbove({ change_percent }: PriceChange, percent: number): boolean {
  return change_percent === null || Math.abs(change_percent) > percent;
}
