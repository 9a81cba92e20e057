import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { files, headingsOf } from './pages.ts';

const ROOT = new URL('../../', import.meta.url);

/** The form of comments, by the ending of the file's name; files with other endings are not checked. */
const COMMENTS: readonly (readonly [RegExp, RegExp])[] = [
  [/\.(ts|tsx|mjs|js|css)$/, /\/\*.*?\*\/|(?:^|\s)\/\/.*?$(?:\s*\/\/.*?$)*/gms],
  [/\.(proto|prisma)$/, /\/\/.*?$(?:\s*\/\/.*?$)*/gms],
  [/\.(sql|lua)$/, /--.*?$(?:\s*--.*?$)*/gms],
  [/\.(ya?ml|sh|conf|cfg)$|Dockerfile$|\.env\.example$/, /(?:^|\s)#.*?$(?:\s*#.*?$)*/gms],
];
/** The marks at the beginning of a comment's lines. */
const MARKS = /\n\s*(?:\*(?!\/)|\/\/+|--|#)?\s*/g;
/** A page, followed by the heading that is meant, if any: docs/wire-format.md, "Errors". */
const CITATION = /(?<![\w/:.-])((?:\.{1,2}\/)*[\w./-]*[\w-]\.md)\b(?:, "([^"]+)")?/g;
/** A page that is cited without its path, so that nothing can check it. */
const BY_NAME_ALONE =
  /\bwire format\b|\b(?:docs|faults|operations|readme)[,:] "|(?<![/\w])(?:docs|faults): |§/i;

/** The comments of a file, each on one line. */
function commentsOf(path: string, text: string): string[] {
  const [, comments] = COMMENTS.find(([ending]) => ending.test(path)) ?? [];
  if (comments === undefined) return [];
  return [...text.matchAll(comments)].map(([comment]) => comment.replaceAll(MARKS, ' ').trim());
}

/** The citations in the comments of a file that lead nowhere. */
function wrongCitations(path: string, text: string): string[] {
  return commentsOf(path, text).flatMap((comment) => {
    const missing = [...comment.matchAll(CITATION)].flatMap(([, page = '', heading]) => {
      const file = [new URL(page, ROOT), new URL(page, new URL(path, ROOT))].find((url) => existsSync(url));
      if (file === undefined) return `${path} cites ${page}, which is not there`;
      if (heading === undefined || headingsOf(readFileSync(file, 'utf8')).includes(heading)) return [];
      return `${path} cites ${page}, which has no heading "${heading}"`;
    });
    const alone = BY_NAME_ALONE.exec(comment);
    return alone === null ? missing : [...missing, `${path} cites a page without its path: ${comment}`];
  });
}

describe('comments', () => {
  it('cite only pages and headings that are there', () => {
    const wrong: string[] = [];
    let comments = 0;
    for (const file of files()) {
      if (file.startsWith('scripts/documents/') || !COMMENTS.some(([ending]) => ending.test(file))) continue;
      const text = readFileSync(new URL(file, ROOT), 'utf8');
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
    ['/** Source: docs/billing.md, "What\n * is charged". */'],
    ['// docs/operations.md'],
    ["const page = 'docs/none.md';"],
    ['// https://example.com/none.md'],
  ])('that cite what is there pass: %s', (comment) => {
    expect(wrongCitations('packages/shared/src/index.ts', comment)).toEqual([]);
  });
});
