import { describe, expect, it } from 'vitest';
import { anchorOf } from './anchor.ts';
import { tracksOf } from './navigation.ts';
import { HOME, rewriteLinks, sitePage, sitePathOf, siteSources } from './site-pages.ts';

describe('the links of a page', () => {
  const resolve = (target: string) => (target === 'a.md' ? './b.md' : undefined);

  it('lead to pages of the site, and become text where there is none', () => {
    expect(
      rewriteLinks('[A](a.md), [`x[]`](a.md), [none](none.ts), [out](https://a.example/)', resolve),
    ).toBe('[A](./b.md), [`x[]`](./b.md), none, [out](https://a.example/)');
  });

  it('are found around images, and not in code blocks', () => {
    expect(rewriteLinks('[![i](a.md)](a.md)\n```\n[A](a.md)\n```\n[A](a.md)', resolve)).toBe(
      '[![i](./b.md)](./b.md)\n```\n[A](a.md)\n```\n[A](./b.md)',
    );
  });

  it('between folders are relative to the page', () => {
    const { text, images } = sitePage('README.md');
    expect(text).toContain('](./troubleshooting.md)');
    expect(text).toContain('](./containers.md)');
    expect(images).toEqual(['docs/screenshots/usage-1440-light.png']);
    expect(sitePage('docs/reference/feature-matrix.md').text).not.toContain('<!--');
    expect(sitePage('deploy/kubernetes/README.md').text).toContain('](./operations.md#');
  });
});

describe('the navigation', () => {
  const tracks = tracksOf(sitePage(HOME).text);

  it('begins with the three tracks', () => {
    expect(tracks.slice(0, 3).map(({ title }) => title)).toEqual(['Try it', 'Run it', 'Sell access']);
  });

  it('has every page of the site', () => {
    const listed = new Set(tracks.flatMap(({ pages }) => pages.map(({ path }) => path)));
    const missing = siteSources().filter(
      (source) => source !== HOME && !listed.has(sitePathOf(source) ?? ''),
    );
    expect(missing).toEqual([]);
  });
});

it('an anchor is the one that GitHub makes', () => {
  expect(['GET /v1/usage', 'providers[].timeouts_ms', 'What is sent'].map(anchorOf)).toEqual([
    'get-v1usage',
    'providerstimeouts_ms',
    'what-is-sent',
  ]);
});
