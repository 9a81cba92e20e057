import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';

const ROOT = new URL('../', import.meta.url);

/** Everything that may say something to a user. */
const SPEAKERS = [
  '{packages,services}/*/{src,web}/**/*.{ts,tsx}',
  'scripts/*.{ts,mjs}',
  'docker-compose.yml',
  'deploy/*.sh',
  'deploy/nginx/*.conf',
];
/** What a quote has for a part that differs, and what an expression in a source becomes. */
const ANYTHING = '…';
/** The longest thing that an `…` of a quote may stand for in a source, where it is mostly an expression. */
const MAX_GAP = 200;

const page = (name: string) => readFileSync(new URL(`docs/${name}`, ROOT), 'utf8');

/** Cells of the rows of every table, without the rows that head them. */
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

/** A source as it stands, and as a reader would meet it: joined where it was split, `…` for what is put in. */
function spoken(source: string): string {
  const met = source
    .replaceAll(/['"`]\s*\+\s*['"`]/g, '')
    .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, ANYTHING)
    .replaceAll(/\\(['"`])/g, '$1');
  return `${source}\n${met}`.replaceAll(/\s+/g, ' ');
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Looks for the longest part of a quote, and for the others only around it: the sources are long. */
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
    // The table of the data directory names files.
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
