import type { MatchState, ModelComparison } from '../price-sync/compare-prices.ts';
import type { NoteKind, SourceNote } from '../price-sync/source-model.ts';
import { formatTable } from './format-table.ts';

/** Maximum of characters of an example value. */
const MAX_EXAMPLE = 60;

export interface PriceComparison {
  source: string;
  format: string;
  entries: number;
  models: readonly ModelComparison[];
}

/** Reasons why the prices of a model are kept. */
const STATES: Readonly<Record<Exclude<MatchState, 'compared'>, string>> = {
  not_in_source: 'not in the source',
  ambiguous: 'several entries with different prices: choose one with --match',
  no_price: 'the source lacks a price that the model needs, or has 0 for it',
  promotion: 'the source has a temporary price',
  free: 'free in the catalog',
};

const NOTES: Readonly<Record<NoteKind, string>> = {
  unknown: 'unknown field',
  not_carried: 'no such price in the catalog',
  inexact: 'more than nine decimals',
  zero: '0 is not taken for a price',
  promotion: 'temporary',
  other_tiers: 'the catalog has other bounds',
  refused_so_far: 'would allow requests that are refused now',
  invalid_tier: 'the catalog would refuse it',
  invalid: 'the catalog would refuse it',
};

/** Formats a comparison for people, with everything that was left out. */
export function priceComparisonText({ entries, format, models, source }: PriceComparison): string {
  const compared = models.filter(({ state }) => state === 'compared');
  return [
    `${source}: ${entries} entries (${format}). ${compared.length} of ${models.length} models were compared.\n`,
    section('Prices', ['MODEL', 'PRICE', 'CATALOG', 'SOURCE', 'CHANGE'], models.flatMap(changeRows)),
    section('Only in the catalog, kept', ['MODEL', 'PRICES'], models.flatMap(keptRows)),
    section('Not applied', ['MODEL', 'WHY', 'ENTRIES'], models.flatMap(stateRows)),
    section('Contexts and modalities', ['MODEL', 'MEMBER', 'CATALOG', 'SOURCE'], models.flatMap(limitRows)),
    section('Left out', ['FIELD OF THE SOURCE', 'WHY', 'MODELS', 'EXAMPLE'], noteRows(models)),
  ].join('');
}

function section(title: string, headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : `\n${title}:\n${formatTable(headings, rows)}\n`;
}

function changeRows({ changes, model, state }: ModelComparison): string[][] {
  return changes.map(({ change_percent: percent, current, price, source }) => [
    model,
    price,
    current ?? '-',
    source,
    `${percent === null ? 'new' : `${percent > 0 ? '+' : ''}${percent} %`}${state === 'compared' ? '' : ' (not applied)'}`,
  ]);
}

function keptRows({ kept, model, state }: ModelComparison): string[][] {
  return kept.length === 0 || state !== 'compared' ? [] : [[model, kept.join(', ')]];
}

function stateRows({ entries, model, notes, state }: ModelComparison): string[][] {
  if (state !== 'compared') return [[model, STATES[state], entries.join(', ')]];
  return notes
    .filter(({ kind }) => kind === 'invalid')
    .map(({ field, value }) => [model, `${field}: ${value}`, entries.join(', ')]);
}

function limitRows({ limits, model }: ModelComparison): string[][] {
  return limits.map(({ current, member, source }) => [model, member, words(current), words(source)]);
}

function words(value: number | string[] | null): string {
  if (value === null) return '-';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** Returns one row for each field of all models, and one for each promotion of a model. */
function noteRows(models: readonly ModelComparison[]): string[][] {
  const byField = new Map<string, { note: SourceNote; ids: string[] }>();
  for (const { model, notes } of models)
    for (const note of notes) {
      if (note.kind === 'invalid') continue;
      const name = `${note.kind} ${note.field}${note.kind === 'promotion' ? ` ${model}` : ''}`;
      const known = byField.get(name);
      if (known === undefined) byField.set(name, { note, ids: [model] });
      else known.ids.push(model);
    }
  return [...byField.values()].map(({ ids, note: { field, kind, until, value } }) => [
    field,
    NOTES[kind] + (until === undefined ? '' : ` until ${until}`),
    ids.length === 1 ? String(ids[0]) : `${ids.length} models`,
    `${ids[0]}: ${value.length > MAX_EXAMPLE ? `${value.slice(0, MAX_EXAMPLE)}…` : value}`,
  ]);
}
