import type { Capability } from '../catalog/capability.ts';
import { recordOf } from '../record-of.ts';

interface Traits {
  /** The name of the unit on a receipt. */
  title: string;
  /** The capabilities that are metered in this unit, and whether a paid model of them must have its price. */
  meters: { readonly [Name in Capability]?: 'needed' | 'optional' };
  /**
   * The unit in which this one is counted as well. A thing is never in two parts of the same unit. A part
   * without a price costs what the whole costs, and no part may cost more, because money is set aside as if
   * there were no parts.
   */
  partOf?: string;
  /** The parts that the unit includes, in words. */
  contains?: string;
  /** A sign that follows the number instead of a word. */
  sign?: string;
}

interface UnitPrice<Name> {
  /** The name of the price in the catalog file: US dollars for `per` units, and the same in words. */
  name: Name;
  per: number;
  means: string;
  /** The unit by which people compare prices; its price is `times` the price of the file. */
  label: string;
  times: number;
}

/**
 * @param unit its name in the code
 * @param column its name in the database and in the protocol
 * @param one the word for a single one
 */
function counted<const Unit extends string, const Column extends string, const Price extends string>(
  unit: Unit,
  column: Column,
  one: string,
  price: UnitPrice<Price>,
  traits: Traits,
) {
  // The API uses the name `json` and the dashboard the name `shown`; one of it stands for `shownPer` units.
  return { ...traits, unit, column, json: column, shown: unit, shownPer: 1, one, price };
}

/** Makes a unit with a price by the million. @param stem the text before `_tokens` and `_per_million_usd` */
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

/** Makes a unit with a price by the piece. @param stem the word for one piece, and the text before `_usd` */
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
 * The units in which requests are metered, in the order in which people see them. Everything that stores,
 * adds up, prices or shows units is made from this list. CONTRIBUTING, "Add a unit", names the exceptions.
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

/** What a request consumed, in whole numbers. Units that its capability does not have are 0. */
export type Units = Record<Unit, number>;

/** Makes an object with a value for each unit, by one of the unit's names. */
export function perUnit<Name extends 'unit' | 'json' | 'shown', Value>(
  name: Name,
  of: (rule: UnitRule) => Value,
): Record<UnitRule[Name], Value> {
  return recordOf(UNITS.map((rule) => [rule[name], of(rule)] as const));
}

export const NO_UNITS: Units = perUnit('unit', () => 0);

/** Finds the unit in which another one is counted as well. */
export function wholeOf({ partOf }: UnitRule): UnitRule | undefined {
  return UNITS.find(({ unit }) => unit === partOf);
}

/** Each part, with the whole in which it is counted. */
export const PARTS = UNITS.flatMap((part) => {
  const whole = wholeOf(part);
  return whole === undefined ? [] : [{ part, whole }];
});

/** Whether the counts can be true: the parts of a unit must not be more than the unit. */
export function partsFit(units: Units): boolean {
  const inParts = (of: UnitRule) =>
    PARTS.reduce((sum, { part, whole }) => (whole === of ? sum + units[part.unit] : sum), 0);
  return PARTS.every(({ whole }) => inParts(whole) <= units[whole.unit]);
}

/**
 * Returns counts of units in the form that people get: audio in seconds.
 * @param counts whole numbers, also as decimal strings
 */
export function toldUnits<Name extends 'json' | 'shown'>(
  name: Name,
  counts: Readonly<Record<Unit, string | bigint | number>>,
): Record<UnitRule[Name], number> {
  return perUnit(name, ({ unit, shownPer }) => Number(counts[unit]) / shownPer);
}
