import { expect, it } from 'vitest';
import { readBundledCatalogs } from './bundled-catalogs.ts';
import { priceNotes } from './price-notes.ts';

const bundles = readBundledCatalogs({});
const [openai] = bundles.filter(({ name }) => name === 'openai');
const [simulated] = bundles.filter(({ name }) => name === 'simulated');
const catalog = openai?.document;
if (catalog === undefined || simulated === undefined) throw new Error('a bundled catalog is missing');
const paid = catalog.models.filter(({ tier }) => tier === 'paid');
const LATER = Date.parse('2027-06-01');

it('a start says how many prices are older than 60 days, and names the oldest', () => {
  expect(priceNotes(catalog, bundles, Date.parse('2027-01-01'))).toEqual([]);
  const [note, ...others] = priceNotes(catalog, bundles, LATER);
  expect(note).toMatch(
    new RegExp(`^Prices of ${paid.length} models are older than 60 days .* \\(2026-11-24\\): compare`),
  );
  expect(others).toEqual([]);
  expect(priceNotes(simulated.document, bundles, LATER)).toEqual([]);
});

it('prices of a catalog of an earlier release count as the bundled ones until they are changed', () => {
  const [changed, ...rest] = paid.map(({ prices_from: _, ...model }) => model);
  if (changed === undefined) throw new Error('no models');
  const own = { ...changed, pricing: { ...changed.pricing, output_per_million_usd: '49' } };
  expect(priceNotes({ ...catalog, models: [own, ...rest] }, bundles, LATER)).toEqual([
    expect.stringMatching(new RegExp(`^Prices of ${rest.length} models `)),
  ]);
  expect(priceNotes({ ...catalog, models: [own] }, bundles, LATER)).toEqual([]);
});
