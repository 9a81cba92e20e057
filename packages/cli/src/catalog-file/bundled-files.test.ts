import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { flatPricing, priceOrigin } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { bundledFiles, bundledFilesWith, bundledPrices, oldCatalogs } from './bundled-files.ts';

const FOLDER = fileURLToPath(new URL('../../../../deploy/catalogs', import.meta.url));
const real = bundledFiles(FOLDER).filter((path) => basename(path) !== 'simulated.yaml');

describe('the bundled catalogs', () => {
  it('say of each price of a real provider where it was found, and when', () => {
    const models = [...bundledPrices(FOLDER)];
    expect(new Set(models.map(([, { file }]) => file))).toEqual(new Set(real));
    const paid = /^ {2}- id: (\S+\/\S+)$(?:\n {4}.*)*?\n {4}tier: paid$/gm;
    const listed = real.flatMap((path) => [...readFileSync(path, 'utf8').matchAll(paid)]);
    expect(models.map(([id]) => id)).toEqual(listed.map(([, id]) => id));
    for (const [id, { pricesFrom, pricing }] of models)
      for (const price of Object.keys(flatPricing(pricing))) {
        const { date = '', source = '' } = priceOrigin(pricesFrom, price) ?? {};
        expect({ id, price, source }).toMatchObject({ source: expect.stringMatching(/\S/) });
        expect(Date.parse(date)).toBeLessThan(Date.now());
      }
    expect(models.find(([id]) => id === 'openai/gpt-6-astra')?.[1].pricing.output_per_million_usd).toBe(
      '50.00',
    );
  });

  it('are listed as old when a price is older than 60 days, or has ended', () => {
    const days = [...bundledPrices(FOLDER).values()].flatMap(({ pricesFrom }) =>
      pricesFrom.map(({ date }) => Date.parse(date)),
    );
    const [first, last] = [Math.min(...days), Math.max(...days)];
    const dayMs = 86_400_000;
    expect(oldCatalogs(FOLDER, Date.parse('2026-12-31T23:59:59Z'))).toEqual([]);
    const ended = oldCatalogs(FOLDER, Date.parse('2027-01-01')).map(({ file }) => basename(file));
    expect(ended).toEqual(['gemini.yaml', 'vertex.yaml']);
    const old = oldCatalogs(FOLDER, last + 61 * dayMs);
    expect(old.map(({ file }) => file)).toEqual(real);
    expect(old.every(({ ageDays }) => ageDays > 60)).toBe(true);
    expect(old.some(({ foundOn }) => Date.parse(foundOn) === first)).toBe(true);
  });

  it('are found by the credential of their providers', () => {
    const names = (credential: string) => bundledFilesWith(FOLDER, credential).map((path) => basename(path));
    expect(names('OPENAI_API_KEY')).toEqual(['openai.yaml']);
    expect(names('OPENAI_API')).toEqual([]);
    expect(bundledFilesWith('/nonexistent', 'OPENAI_API_KEY')).toEqual([]);
  });
});
