import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commentsOf, wrongCitations } from './citations.ts';

const ROOT = new URL('../../', import.meta.url);

describe('comments', () => {
  it('cite only pages and headings that are there', () => {
    const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: ROOT,
      encoding: 'utf8',
    }).split('\0');
    const wrong: string[] = [];
    let comments = 0;
    for (const file of files) {
      if (file === '' || file.startsWith('scripts/documents/')) continue;
      const text = readText(file);
      comments += commentsOf(file, text).length;
      wrong.push(...wrongCitations(file, text));
    }
    expect(comments).toBeGreaterThan(2_000);
    expect(wrong).toEqual([]);
  });

  it.each([
    ['a page that is not there', '/** See docs/none.md. */'],
    ['a heading that is not there', '// As docs/wire-format.md, "No such heading" says.'],
    [
      'a heading in two lines that is not there',
      '/**\n * Source: docs/wire-format.md, "No such\n * heading".\n */',
    ],
    ['a page by its name alone', '/** The table (wire format, "Errors"). */'],
  ])('that cite %s are found', (_name, comment) => {
    expect(wrongCitations('packages/shared/src/index.ts', comment)).toHaveLength(1);
  });

  it.each([
    ['/** Source: docs/wire-format.md, "What\n * is billed". */'],
    ['// docs/operations.md'],
    ["const page = 'docs/none.md';"],
    ['// https://example.com/none.md'],
  ])('that cite what is there pass: %s', (comment) => {
    expect(wrongCitations('packages/shared/src/index.ts', comment)).toEqual([]);
  });
});

/** A file may be removed and not be committed yet. */
function readText(file: string): string {
  try {
    return readFileSync(new URL(file, ROOT), 'utf8');
  } catch {
    return '';
  }
}
