import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, isThere, linksOf, namedPathsOf, pages, readPage, whatIsMissing } from './pages.ts';

describe('the documents', () => {
  it('link only to files that are there, and to headings that they have', () => {
    const links = pages().flatMap((page) => linksOf(readPage(page)).map((link) => ({ page, link })));
    expect(links.length).toBeGreaterThan(150);
    expect(links.flatMap(({ page, link }) => whatIsMissing(page, link) ?? [])).toEqual([]);
  });

  it('name only files and folders that are there', () => {
    const named = pages().flatMap((page) => namedPathsOf(readPage(page)).map((path) => `${page}: ${path}`));
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((each) => !isThere(each.slice(each.indexOf(': ') + 2)))).toEqual([]);
  });

  it('are all reached from the README', () => {
    const reached = new Set(['README.md']);
    for (const page of reached) {
      for (const link of linksOf(readPage(page))) {
        const path = new URL(link.split('#', 1)[0] ?? '', `file:///${page}`).pathname.slice(1);
        if (path.endsWith('.md')) reached.add(path);
        if (path === 'docs/decisions') for (const one of pages()) if (one.startsWith(path)) reached.add(one);
      }
    }
    const ofUsers = pages().filter((page) => /^(docs|deploy|[A-Z]+\.md)/.test(page));
    expect(ofUsers.filter((page) => !reached.has(page))).toEqual([]);
  });
});

describe('docs/README.md', () => {
  it('lists every page of the documentation', () => {
    const listed = new Set(
      linksOf(readPage('docs/README.md')).map((link) => join('docs', link.split('#', 1)[0] ?? '')),
    );
    const ofUsers = pages().filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
    expect(ofUsers.filter((page) => !listed.has(page))).toEqual([]);
  });
});

describe('a link', () => {
  it('without a target is reported, whatever its form', () => {
    const page =
      '[a](docs/none.md) [b](README.md#no-such-heading)\n\n[c]: none.md "c"\n\n```\n[d](none)\n```\n';
    expect(linksOf(page).map((link) => whatIsMissing('README.md', link))).toEqual([
      'README.md: there is no docs/none.md',
      'README.md: README.md has no heading for #no-such-heading',
      'README.md: there is no none.md',
    ]);
  });

  it('finds a heading under the name that GitHub gives it', () => {
    expect(anchorsOf('## `providers[].timeouts_ms`\n### GET /v1/usage\n```\n# not one\n```\n')).toEqual(
      new Set(['providerstimeouts_ms', 'get-v1usage']),
    );
  });
});
