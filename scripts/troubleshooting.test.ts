import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';

const ROOT = new URL('../', import.meta.url);

/** All files that may contain messages for users. */
const MESSAGE_FILES = [
  '{packages,services}/*/{src,web}/**/*.{ts,tsx}',
  'scripts/*.{ts,mjs}',
  'docker-compose.yml',
  'deploy/*.sh',
  'deploy/haproxy/errors/*',
];
/** Replaces a part that differs: in a quote, and in a source an expression. */
const PLACEHOLDER = '…';
/** Maximum characters of a source that a placeholder of a quote matches. */
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

/** Returns a source and its messages as users see them: strings joined, `…` for expressions. */
function withMessages(source: string): string {
  const messages = source
    .replaceAll(/['"`]\s*\+\s*['"`]/g, '')
    .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, PLACEHOLDER)
    .replaceAll(/\\(['"`])/g, '$1');
  return `${source}\n${messages}`.replaceAll(/\s+/g, ' ');
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Finds the longest part of a quote first, and the others only around it: the sources are long. */
function isIn(sources: string, quote: string): boolean {
  const parts = quote.split(PLACEHOLDER);
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
    for await (const file of glob(MESSAGE_FILES, { cwd: ROOT })) {
      if (/\.test\.tsx?$|\/generated\//.test(file)) continue;
      sources += `${withMessages(readFileSync(new URL(file, ROOT), 'utf8'))}\n`;
    }
  });

  it('quotes only messages that are in a source', () => {
    // The table about the data directory names files, not messages.
    const [messages = ''] = page('troubleshooting.md').split('\n## Start afresh');
    const quotes = rowsOf(messages).flatMap(([first = '']) => [...first.matchAll(/`([^`]+)`/g)]);
    expect(quotes.length).toBeGreaterThan(100);
    expect(quotes.map(([, quote = '']) => quote).filter((quote) => !isIn(sources, quote))).toEqual([]);
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

  it('gives every source a URL and a date or version, and uses every source', () => {
    const used = [...text.matchAll(/\]\[([a-z0-9-]+)\]/g)].map(([, name]) => name);
    const listed = [...text.matchAll(/^\[([a-z0-9-]+)\]: https:\/\/\S+ ".*\d.*"$/gm)].map(([, name]) => name);
    expect([...new Set(used)].sort()).toEqual(listed.sort());
  });
});
