import type { Capability } from '../catalog/capability.ts';
import { recordOf } from '../record-of.ts';

interface Traits {
  /** What it is called on a receipt. */
  title: string;
  /** Which capabilities are metered in it, and whether a paid model of theirs must have its price. */
  meters: { readonly [Name in Capability]?: 'needed' | 'optional' };
  /**
   * The unit that counts it, too. Parts of the same unit have nothing in common. A part without a price of its own costs
   * what the whole costs, and none may cost more: money is set aside as if there were no parts.
   */
  partOf?: string;
  /** The parts that it counts, in words. */
  contains?: string;
  /** Stands behind its number in place of a word. */
  sign?: string;
}

interface UnitRule extends Traits {
  /** Its name in the code. */
  unit: string;
  /** Its name in the database and in the protocol. */
  column: string;
  /** What people are told is called so in the JSON of the API, and so in that of the dashboard. */
  json: string;
  shown: string;
  /** So many units are one of what people are told. */
  shownPer: number;
  /** What one of that is called. */
  one: string;
  /** In the catalog file: US dollars for `per` units. */
  price: {
    name: string;
    per: number;
    means: string;
    /** People compare prices of one `label`, which is `times` the price. */
    label: string;
    times: number;
  };
}

const MILLION = 1_000_000;

/** Priced by the million. @param stem what stands before `_tokens` and `_per_million_usd` */
function tokens<const Name extends string, const Stem extends string>(
  unit: Name,
  stem: Stem,
  { means, ...traits }: Traits & { means?: string },
) {
  const column = `${stem}_tokens` as const;
  const words = `${stem.replaceAll('_', ' ')} tokens`;
  return {
    ...traits,
    unit,
    column,
    json: column,
    shown: unit,
    shownPer: 1,
    one: 'token',
    price: {
      name: `${stem}_per_million_usd` as const,
      per: MILLION,
      means: `per million ${means ?? words}`,
      label: `1M ${words}`,
      times: 1,
    },
  };
}

/** Priced by the piece. @param stem one of them; what stands before `_usd` */
function pieces<const Name extends string, const Stem extends string>(
  unit: Name,
  stem: Stem,
  traits: Traits,
) {
  const column = `${stem}s` as const;
  const one = stem.replaceAll('_', ' ');
  return {
    ...traits,
    unit,
    column,
    json: column,
    shown: unit,
    shownPer: 1,
    one,
    price: { name: `${stem}_usd` as const, per: 1, means: `per ${one}`, label: one, times: 1 },
  };
}

function other<const Rule extends UnitRule>(rule: Rule): Rule & Traits {
  return rule;
}

/**
 * What requests are metered in, in the order in which people see it. All that stores, adds up, prices or shows units is
 * made from this list; what is not is in CONTRIBUTING, "Add a unit".
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
  other({
    unit: 'characters',
    column: 'characters',
    json: 'characters',
    shown: 'characters',
    shownPer: 1,
    title: 'Text',
    one: 'character',
    meters: { speech: 'needed' },
    price: {
      name: 'characters_per_million_usd',
      per: MILLION,
      means: 'per million characters of input',
      label: '1M characters',
      times: 1,
    },
  }),
  other({
    unit: 'audioMs',
    column: 'audio_ms',
    json: 'audio_seconds',
    shown: 'audioSeconds',
    shownPer: 1_000,
    title: 'Audio',
    one: 'second',
    sign: 's',
    meters: { transcription: 'needed' },
    price: {
      name: 'audio_second_usd',
      per: 1_000,
      means: 'per second of audio',
      label: 'minute of audio',
      times: 60,
    },
  }),
  pieces('searchUnits', 'search_unit', { title: 'Searches', meters: { rerank: 'needed' } }),
] as const;

type Listed = (typeof UNITS)[number];
export type Unit = Listed['unit'];
export type JsonUnit = Listed['json'];
export type ShownUnit = Listed['shown'];
export type PriceName = Listed['price']['name'];

/** What a request consumed. Whole numbers; those that a capability does not know are 0. */
export type Units = Record<Unit, number>;

/** A value for each unit, by one of its names. */
export function perUnit<Name extends 'unit' | 'json' | 'shown', Value>(
  name: Name,
  of: (rule: Listed) => Value,
): Record<Listed[Name], Value> {
  return recordOf(UNITS.map((rule) => [rule[name], of(rule)] as const));
}

export const NO_UNITS: Units = perUnit('unit', () => 0);

/** Each part with the whole that counts it. */
export const PARTS = UNITS.flatMap((part) => {
  const whole = UNITS.find(({ unit }) => unit === part.partOf);
  return whole === undefined ? [] : [{ part, whole }];
});

/** Whether the counts can be true: no unit has more in its parts than there is of it. */
export function partsFit(units: Units): boolean {
  const inParts = (of: Listed) =>
    PARTS.reduce((sum, { part, whole }) => (whole === of ? sum + units[part.unit] : sum), 0);
  return PARTS.every(({ whole }) => inParts(whole) <= units[whole.unit]);
}

/** Counts of units as people are told them: audio in seconds. @param counts whole numbers, also as decimal strings */
export function toldUnits<Name extends 'json' | 'shown'>(
  name: Name,
  counts: Readonly<Record<Unit, string | bigint | number>>,
): Record<Listed[Name], number> {
  return perUnit(name, ({ unit, shownPer }) => Number(counts[unit]) / shownPer);
}
