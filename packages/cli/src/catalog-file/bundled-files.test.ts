import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  bundledFiles,
  bundledFilesWith,
  bundledPrices,
  oldCatalogs,
  priceAgeDays,
  pricesFoundOn,
} from './bundled-files.ts';

const FOLDER = fileURLToPath(new URL('../../../../deploy/catalogs', import.meta.url));
const real = bundledFiles(FOLDER).filter((path) => basename(path) !== 'simulated.yaml');

describe('the bundled catalogs', () => {
  it.each(real.map((path) => [basename(path), path]))(
    '%s says when its prices were found, and where',
    (_, path) => {
      const text = readFileSync(path, 'utf8');
      const foundOn = pricesFoundOn(text) ?? '';
      expect(foundOn).toMatch(/^20\d\d-\d\d-\d\d$/);
      expect(Date.parse(foundOn)).toBeLessThan(Date.now());
      expect(text).toMatch(/^#.*\bSources: \S/m);
    },
  );

  it('have a day for the price of every paid model', () => {
    const models = [...bundledPrices(FOLDER)];
    expect(models.length).toBeGreaterThan(80);
    expect(models.every(([, { foundOn }]) => /^20/.test(foundOn))).toBe(true);
    expect(models.find(([id]) => id === 'openai/gpt-6-astra')?.[1].pricing.output_per_million_usd).toBe(
      '50.00',
    );
  });

  it('are listed as old when their prices are older than 60 days', () => {
    const days = real.map((path) => Date.parse(pricesFoundOn(readFileSync(path, 'utf8')) ?? ''));
    const [first, last] = [Math.min(...days), Math.max(...days)];
    const dayMs = 86_400_000;
    expect(oldCatalogs(FOLDER, first + 60 * dayMs)).toEqual([]);
    const old = oldCatalogs(FOLDER, last + 61 * dayMs);
    expect(old.map(({ file }) => file)).toEqual(real);
    expect(old.every(({ ageDays }) => ageDays > 60)).toBe(true);
  });

  it('are found by the credential of their providers', () => {
    const names = (credential: string) => bundledFilesWith(FOLDER, credential).map((path) => basename(path));
    expect(names('OPENAI_API_KEY')).toEqual(['openai.yaml']);
    expect(names('OPENAI_API')).toEqual([]);
    expect(bundledFilesWith('/nonexistent', 'OPENAI_API_KEY')).toEqual([]);
  });
});

it('the age of a price is in whole days', () => {
  expect(priceAgeDays('2026-11-24', Date.parse('2026-11-26T23:00:00Z'))).toBe(2);
  expect(pricesFoundOn('# Acme: no date\nproviders: []\n# prices as found on 2026-01-01')).toBeUndefined();
});
