import { expect, it } from 'vitest';
import { problemsOf, readCatalog, textAt, withEntry, without, withValue } from './catalog-text.ts';

const TEXT = `# Ours
providers:
  - id: acme # the first
    name: Acme
    unknown: kept
models:
  - id: acme/one
    pricing:
      input_per_million_usd: "0.10"
    fallbacks: [acme/two, acme/three]
`;

it('a change of one value keeps comments, order and unknown members', () => {
  const changed = withValue(TEXT, ['models', 0, 'pricing', 'input_per_million_usd'], '0.25', 'text');
  expect(changed).toBe(
    TEXT.replace('0.10', '0.25').replace('[acme/two, acme/three]', '[ acme/two, acme/three ]'),
  );
  expect(withValue(TEXT, ['providers', 0, 'name'], '', 'text')).not.toContain('name: Acme');
});

it('a list is one field, and entries are added and removed', () => {
  expect(textAt(readCatalog(TEXT), ['models', 0, 'fallbacks'])).toBe('acme/two, acme/three');
  const changed = withValue(TEXT, ['models', 0, 'fallbacks'], 'acme/four, ', 'list');
  expect(textAt(readCatalog(changed), ['models', 0, 'fallbacks'])).toBe('acme/four');
  const added = withEntry('', ['providers'], { id: 'new' });
  expect(textAt(readCatalog(added), ['providers', 0, 'id'])).toBe('new');
  expect(without(TEXT, ['models', 0])).not.toContain('acme/one');
});

it('problems of the control plane are shown at the line of their value, or of what lacks it', () => {
  const message = 'Models[0].pricing.input_per_million_usd: wrong\nmodels[0].tier: is required\nSomething.';
  expect(problemsOf(message, readCatalog(TEXT))).toEqual([
    { line: 9, message: 'Models[0].pricing.input_per_million_usd: wrong' },
    { line: 7, message: 'models[0].tier: is required' },
    { line: 1, message: 'Something.' },
  ]);
});

it('problems of YAML have their line', () => {
  expect(readCatalog('a: 1\nb: [').problems).toMatchObject([{ line: 2 }]);
});
