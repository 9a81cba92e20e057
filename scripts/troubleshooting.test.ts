import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';

const ROOT = new URL('../', import.meta.url);

/** All files that may contain messages for users. */
const SPEAKERS = [
  '{packages,services}/*/{src,web}/**/*.{ts,tsx}',
  'scripts/*.{ts,mjs}',
  'docker-compose.yml',
  'deploy/*.sh',
  'deploy/haproxy/errors/*',
];
/** Stands for a part that differs: in a quote, and in a source for an expression. */
const ANYTHING = '…';
/**
 * The greatest length in a source that an `…` of a quote may stand for. In a source it is mostly an
 * expression.
 */
const MAX_GAP = 200;

const page = (name: string) => readFileSync(new URL(`docs/${name}`, ROOT), 'utf8');

/** The cells of every table, without the heading rows. */
function rowsOf(text: string): string[][] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const isHead = /^\| *:?-+/.test(line) || /^\| *:?-+/.test(lines[index + 1] ?? '');
    return line.startsWith('| ') && !isHead
      ? [
          line
            .slice(1, -1)
            .split(' | ')
            .map((cell) => cell.trim()),
        ]
      : [];
  });
}

/**
 * A source as it stands, and as a reader sees its messages: joined where strings were split, with `…` for
 * what is inserted.
 */
function spoken(source: string): string {
  const met = source
    .replaceAll(/['"`]\s*\+\s*['"`]/g, '')
    .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, ANYTHING)
    .replaceAll(/\\(['"`])/g, '$1');
  return `${source}\n${met}`.replaceAll(/\s+/g, ' ');
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Looks for the longest part of a quote first, and for the other parts only around it, because the sources
 * are long.
 */
function isSaid(quote: string, sources: string): boolean {
  const parts = quote.split(ANYTHING);
  const longest = parts.reduce((one, other) => (other.length > one.length ? other : one));
  const whole = new RegExp(parts.map(escaped).join(`.{0,${MAX_GAP}}?`));
  const around = quote.length + MAX_GAP * parts.length;
  for (let at = sources.indexOf(longest); at >= 0; at = sources.indexOf(longest, at + 1)) {
    if (whole.test(sources.slice(Math.max(0, at - around), at + around))) return true;
  }
  return false;
}

describe('docs/troubleshooting.md', () => {
  let sources = '';

  beforeAll(async () => {
    for await (const file of glob(SPEAKERS, { cwd: ROOT })) {
      if (/\.test\.tsx?$|\/generated\//.test(file)) continue;
      sources += `${spoken(readFileSync(new URL(file, ROOT), 'utf8'))}\n`;
    }
  });

  it('quotes nothing that no source says', () => {
    // The table about the data directory names files, not messages.
    const [messages = ''] = page('troubleshooting.md').split('\n## Start afresh');
    const quotes = rowsOf(messages).flatMap(([first = '']) => [...first.matchAll(/`([^`]+)`/g)]);
    expect(quotes.length).toBeGreaterThan(100);
    const unsaid = quotes.map(([, quote = '']) => quote).filter((quote) => !isSaid(quote, sources));
    expect(unsaid).toEqual([]);
  });
});

describe('docs/compare.md', () => {
  const text = page('compare.md');

  it('has a source, or "not tried", for every statement', () => {
    const rows = rowsOf(text);
    expect(rows.length).toBeGreaterThan(70);
    const bare = rows.filter((cells) => !/\]\(|\]\[|^not tried$/.test(cells.at(-1) ?? ''));
    expect(bare).toEqual([]);
  });

  it('says of every source where it is and of what time it was, and names none in vain', () => {
    const used = [...text.matchAll(/\]\[([a-z0-9-]+)\]/g)].map(([, name]) => name);
    const told = [...text.matchAll(/^\[([a-z0-9-]+)\]: https:\/\/\S+ ".*\d.*"$/gm)].map(([, name]) => name);
    expect([...new Set(used)].sort()).toEqual(told.sort());
  });
});
