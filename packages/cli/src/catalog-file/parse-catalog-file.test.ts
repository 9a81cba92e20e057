import { describe, expect, it } from 'vitest';
import { CommandFailure } from '../command-failure.ts';
import { parseCatalogFile } from './parse-catalog-file.ts';

function failure(text: string): readonly string[] {
  try {
    parseCatalogFile(text, 'catalog.yaml');
  } catch (error) {
    if (error instanceof CommandFailure) return error.lines;
    throw error;
  }
  return [];
}

describe('a catalog file', () => {
  it('is YAML or JSON, with anchors where they save typing', () => {
    expect(parseCatalogFile('a: &x [1, "2"]\nb: *x\n', 'f').content).toEqual({ a: [1, '2'], b: [1, '2'] });
    expect(parseCatalogFile('{"a": [1, "2"]}', 'f').content).toEqual({ a: [1, '2'] });
  });

  it('names line and column of every syntax error', () => {
    const lines = failure('providers:\n  - id: acme\n   name: x\nmodels: "open\n');
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line).toMatch(/^catalog\.yaml: line \d+, column \d+: /);
    expect(lines[0]).toContain('line 3, column 1');
  });

  it('a key that appears twice is an error', () => {
    expect(failure('models:\n  - id: a/b\n    tier: free\n    tier: paid\n')).toEqual([
      'catalog.yaml: line 4, column 5: Map keys must be unique',
    ]);
    expect(failure('{"a": 1, "a": 2}')).toHaveLength(1);
  });

  it.each(['a: !custom 1', 'a: !!binary aGk=', 'a: !!js/function "x"', 'a: !!set {b}'])(
    'may not use tags: %s',
    (text) => {
      expect(failure(text)[0]).toMatch(/^catalog\.yaml: line 1, column 4: /);
    },
  );

  it('cannot grow without bound by aliases', () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const entries = Array.from({ length: 9 }, () => (level === 0 ? '1' : `*l${level - 1}`));
      return `l${level}: &l${level} [${entries.join(', ')}]`;
    });
    expect(failure(levels.join('\n'))).toEqual([expect.stringContaining('alias')]);
  });

  it.each([
    ['', 'is empty'],
    ['# nothing\n', 'is empty'],
    ['a: *nowhere', 'nowhere'],
    ['a: 1\n---\nb: 2\n', 'multiple documents'],
    ['? [a]\n: 1\n', 'string'],
  ])('is refused as %j', (text, reason) => {
    expect(failure(text).join('\n')).toContain(reason);
  });

  it('sets no prototype', () => {
    const { content: parsed } = parseCatalogFile('__proto__: { polluted: true }', 'f');
    expect(parsed).not.toHaveProperty('polluted');
    expect(JSON.stringify(parsed)).toBe('{"__proto__":{"polluted":true}}');
  });

  it.each([
    ['models[0].tier', 6],
    ['models[1]', 7],
    ['models[1].upstreams[1].provider', 11],
    // The field is missing, so this is the line of the entry that should contain it.
    ['models[1].tier', 7],
    ['models[1].upstreams[0].model', 9],
    ['models[7].id', 3],
    ['providers[0].name', 2],
    ['', 1],
    ['nonsense.at[3].all', 1],
  ])('knows the line of %s', (path, line) => {
    const text = `providers:
  - &p { id: acme }
models:
  - id: acme/small
    name: Small
    tier: paid
  - id: acme/other
    upstreams:
      - { provider: acme }
      - model: m
        provider: nobody
same: *p
`;
    expect(parseCatalogFile(text, 'f').lineOf(path)).toBe(line);
  });

  it('knows the line of what stands behind an alias', () => {
    expect(parseCatalogFile('a: &x\n  b: 1\nc: *x\n', 'f').lineOf('c.b')).toBe(2);
  });
});
