import type { Capability } from '../catalog/capability.ts';
import { recordOf } from '../record-of.ts';

interface Traits {
  /** What it is called on a receipt. */
  title: string;
  /** Which capabilities are metered in it, and whether a paid model of theirs must have its price. */
  meters: { readonly [Name in Capability]?: 'needed' | 'optional' };
  /**
   * The unit that counts it, too. Parts of the same unit have nothing in common. A part without a price of
   * its own costs what the whole costs, and none may cost more: money is set aside as if there were no parts.
   */
  partOf?: string;
  /** The parts that it counts, in words. */
  contains?: string;
  /** Stands behind its number in place of a word. */
  sign?: string;
}

interface UnitPrice<Name> {
  /** In the catalog file: US dollars for `per` units, and in words. */
  name: Name;
  per: number;
  means: string;
  /** People compare prices of one `label`, which is `times` the price. */
  label: string;
  times: number;
}

/**
 * @param unit its name in the code
 * @param column its name in the database and in the protocol
 * @param one what one of it is called
 */
function counted<const Unit extends string, const Column extends string, const Price extends string>(
  unit: Unit,
  column: Column,
  one: string,
  price: UnitPrice<Price>,
  traits: Traits,
) {
  // People are told `json` in the API and `shown` in the dashboard: one of it for so many units.
  return { ...traits, unit, column, json: column, shown: unit, shownPer: 1, one, price };
}

/** Priced by the million. @param stem what stands before `_tokens` and `_per_million_usd` */
function tokens<const Unit extends string, const Stem extends string>(
  unit: Unit,
  stem: Stem,
  { means, ...traits }: Traits & { means?: string },
) {
  const words = `${stem.replaceAll('_', ' ')} tokens`;
  const name = `${stem}_per_million_usd` as const;
  const price = {
    name,
    per: MILLION,
    means: `per million ${means ?? words}`,
    label: `1M ${words}`,
    times: 1,
  };
  return counted(unit, `${stem}_tokens`, 'token', price, traits);
}

/** Priced by the piece. @param stem one of them; what stands before `_usd` */
function pieces<const Unit extends string, const Stem extends string>(
  unit: Unit,
  stem: Stem,
  traits: Traits,
) {
  const one = stem.replaceAll('_', ' ');
  const price = { name: `${stem}_usd` as const, per: 1, means: `per ${one}`, label: one, times: 1 };
  return counted(unit, `${stem}s`, one, price, traits);
}

const MILLION = 1_000_000;
const CHARACTERS = {
  name: 'characters_per_million_usd',
  per: MILLION,
  means: 'per million characters of input',
  label: '1M characters',
  times: 1,
} as const;
const AUDIO = {
  name: 'audio_second_usd',
  per: 1_000,
  means: 'per second of audio',
  label: 'minute of audio',
  times: 60,
} as const;

/**
 * What requests are metered in, in the order in which people see it. All that stores, adds up, prices or
 * shows units is made from this list; what is not is in CONTRIBUTING, "Add a unit".
 */
export const UNITS = [
  tokens('inputTokens', 'input', {
    title: 'Input',
    meters: { chat: 'needed', embeddings: 'needed', rerank: 'optional', images: 'optional' },
    contains: 'cached ones',
  }),
  tokens('cachedInputTokens', 'cached_input', {
    title: 'Input from the cache',
    means: 'input tokens that the provider had cached',
    meters: { chat: 'optional' },
    partOf: 'inputTokens',
  }),
  tokens('outputTokens', 'output', { title: 'Output', meters: { chat: 'needed', images: 'optional' } }),
  pieces('images', 'image', { title: 'Images', meters: { images: 'needed' } }),
  counted('characters', 'characters', 'character', CHARACTERS, {
    title: 'Text',
    meters: { speech: 'needed' },
  }),
  {
    ...counted('audioMs', 'audio_ms', 'second', AUDIO, {
      title: 'Audio',
      meters: { transcription: 'needed' },
      sign: 's',
    }),
    json: 'audio_seconds',
    shown: 'audioSeconds',
    shownPer: 1_000,
  },
  pieces('searchUnits', 'search_unit', { title: 'Searches', meters: { rerank: 'needed' } }),
] as const;

export type UnitRule = (typeof UNITS)[number];
export type Unit = UnitRule['unit'];
export type UnitColumn = UnitRule['column'];
export type JsonUnit = UnitRule['json'];
export type PriceName = UnitRule['price']['name'];

/** What a request consumed. Whole numbers; those that a capability does not know are 0. */
export type Units = Record<Unit, number>;

/** A value for each unit, by one of its names. */
export function perUnit<Name extends 'unit' | 'json' | 'shown', Value>(
  name: Name,
  of: (rule: UnitRule) => Value,
): Record<UnitRule[Name], Value> {
  return recordOf(UNITS.map((rule) => [rule[name], of(rule)] as const));
}

export const NO_UNITS: Units = perUnit('unit', () => 0);

/** The unit that counts another one, too. */
export function wholeOf({ partOf }: UnitRule): UnitRule | undefined {
  return UNITS.find(({ unit }) => unit === partOf);
}

/** Each part with the whole that counts it. */
export const PARTS = UNITS.flatMap((part) => {
  const whole = wholeOf(part);
  return whole === undefined ? [] : [{ part, whole }];
});

/** Whether the counts can be true: no unit has more in its parts than there is of it. */
export function partsFit(units: Units): boolean {
  const inParts = (of: UnitRule) =>
    PARTS.reduce((sum, { part, whole }) => (whole === of ? sum + units[part.unit] : sum), 0);
  return PARTS.every(({ whole }) => inParts(whole) <= units[whole.unit]);
}

/** Counts as people are told them: audio in seconds. @param counts whole numbers, also as strings */
export function toldUnits<Name extends 'json' | 'shown'>(
  name: Name,
  counts: Readonly<Record<Unit, string | bigint | number>>,
): Record<UnitRule[Name], number> {
  return perUnit(name, ({ unit, shownPer }) => Number(counts[unit]) / shownPer);
}
