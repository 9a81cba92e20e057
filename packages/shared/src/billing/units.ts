import type { Capability } from '../catalog/capability.ts';
import { recordOf } from '../record-of.ts';

interface Traits {
  title: string;
  /** The capabilities metered in this unit. `needed`: a paid model must have a price for it. */
  meters: { readonly [Name in Capability]?: 'needed' | 'optional' };
  /** The unit that includes this one. The parts of a unit never overlap. */
  partOf?: string;
  /**
   * The price if a paid model has none for the unit; left out: free. `whole`: the price of `partOf`.
   * `dearest`: the highest price of `partOf` and its parts. `dearest_call`: the highest of these units, or
   * DEFAULT_CALL_PRICE. Receipts list units charged by the last two: the provider may charge differently.
   */
  withoutPrice?: 'whole' | 'dearest' | 'dearest_call';
  /** True: the price must not exceed that of `partOf`. */
  isDiscount?: boolean;
  /** The parts that the unit includes, in words: "Includes …" in the API's documentation. */
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
  // `json` is the name in the API, `shown` in the dashboard. Both show counts divided by `shownPer`.
  return { ...traits, unit, column, json: column, shown: unit, shownPer: 1, one, price };
}

/** Makes a unit that is priced per million. @param stem the text before `_tokens` and `_per_million_usd` */
function tokens<const Unit extends string, const Stem extends string>(
  unit: Unit,
  stem: Stem,
  {
    means,
    words = `${stem.replaceAll('_', ' ')} tokens`,
    ...traits
  }: Traits & { means?: string; words?: string },
) {
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

/** Makes a unit that is priced singly. @param stem the word for one piece, and the text before `_usd` */
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
/** US dollars per call of a provider's tool (a search or another), if the model has a price for neither. */
export const DEFAULT_CALL_PRICE = '0.01';

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
    meters: {
      chat: 'needed',
      completions: 'needed',
      embeddings: 'needed',
      rerank: 'optional',
      images: 'optional',
      moderation: 'needed',
    },
    contains: 'cached tokens, tokens written to the cache, and audio and image tokens',
  }),
  tokens('cachedInputTokens', 'cached_input', {
    title: 'Input from the cache',
    means: 'input tokens that the provider had cached',
    meters: { chat: 'optional', completions: 'optional' },
    partOf: 'inputTokens',
    withoutPrice: 'whole',
    isDiscount: true,
  }),
  tokens('cacheWriteTokens', 'cache_write', {
    title: 'Input written to the cache',
    means: 'input tokens that the provider has written to its cache, for five minutes or its usual time',
    words: 'tokens written to the cache',
    meters: { chat: 'optional' },
    partOf: 'inputTokens',
    withoutPrice: 'dearest',
  }),
  tokens('cacheWrite1hTokens', 'cache_write_1h', {
    title: 'Input written to the cache for an hour',
    means: 'input tokens that the provider has written to its cache for an hour',
    words: 'tokens written to the cache for an hour',
    meters: { chat: 'optional' },
    partOf: 'inputTokens',
    withoutPrice: 'dearest',
  }),
  tokens('audioInputTokens', 'audio_input', {
    title: 'Audio input',
    means: 'input tokens of audio',
    meters: { chat: 'optional' },
    partOf: 'inputTokens',
    withoutPrice: 'dearest',
  }),
  tokens('imageInputTokens', 'image_input', {
    title: 'Image input',
    means: 'input tokens of images',
    meters: { chat: 'optional', images: 'optional' },
    partOf: 'inputTokens',
    withoutPrice: 'dearest',
  }),
  tokens('outputTokens', 'output', {
    title: 'Output',
    meters: { chat: 'needed', completions: 'needed', images: 'optional' },
    contains: 'reasoning, audio and image tokens',
  }),
  tokens('reasoningTokens', 'reasoning', {
    title: 'Reasoning',
    means: 'output tokens of reasoning',
    meters: { chat: 'optional' },
    partOf: 'outputTokens',
    withoutPrice: 'whole',
  }),
  tokens('audioOutputTokens', 'audio_output', {
    title: 'Audio output',
    means: 'output tokens of audio',
    meters: { chat: 'optional' },
    partOf: 'outputTokens',
    withoutPrice: 'dearest',
  }),
  tokens('imageOutputTokens', 'image_output', {
    title: 'Image output',
    means: 'output tokens of images',
    meters: { chat: 'optional' },
    partOf: 'outputTokens',
    withoutPrice: 'dearest',
  }),
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
  pieces('webSearchRequests', 'web_search_request', {
    title: 'Web searches',
    meters: { chat: 'optional' },
    withoutPrice: 'dearest_call',
  }),
  pieces('toolCalls', 'tool_call', {
    title: "Calls of the provider's tools",
    meters: { chat: 'optional' },
    withoutPrice: 'dearest_call',
  }),
] as const;

export type UnitRule = (typeof UNITS)[number];
export type Unit = UnitRule['unit'];
export type UnitColumn = UnitRule['column'];
export type JsonUnit = UnitRule['json'];
export type PriceName = UnitRule['price']['name'];

/** The units that a request used, in whole numbers. Units that its capability does not have are 0. */
export type Units = Record<Unit, number>;

export function perUnit<Name extends 'unit' | 'json' | 'shown', Value>(
  name: Name,
  of: (rule: UnitRule) => Value,
): Record<UnitRule[Name], Value> {
  return recordOf(UNITS.map((rule) => [rule[name], of(rule)] as const));
}

export const NO_UNITS: Units = perUnit('unit', () => 0);

/** Returns the names of units in the protocol and in the database. */
export function unitColumnsOf(units: readonly Unit[]): UnitColumn[] {
  return UNITS.filter(({ unit }) => units.includes(unit)).map(({ column }) => column);
}

export function addUnits(left: Units, right: Units): Units {
  return perUnit('unit', ({ unit }) => left[unit] + right[unit]);
}

/** Finds the unit that also counts this part. */
export function wholeOf({ partOf }: UnitRule): UnitRule | undefined {
  return UNITS.find(({ unit }) => unit === partOf);
}

/** Each part, with the unit that includes it. */
export const PARTS = UNITS.flatMap((part) => {
  const whole = wholeOf(part);
  return whole === undefined ? [] : [{ part, whole }];
});
