import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** Built by `npm test` before the tests. */
const SITE = fileURLToPath(new URL('../../../services/catalog/dist', import.meta.url));
/** Redirected by the catalog service to the API reference. */
const TO_REFERENCE = 'api.html';

const pages = readdirSync(SITE, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.html'),
);
const readPage = (path: string) => readFileSync(join(SITE, path), 'utf8');
const idsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));

it('every link of the built site leads to a file that it has, and to a heading of it', () => {
  const ids = new Map(pages.map((path) => [path, idsOf(readPage(path))]));
  const dead = pages.flatMap((page) =>
    [...readPage(page).matchAll(/ (?:href|src)="([^"]*)"/g)]
      .map(([, link = '']) => decodeURI(link.replaceAll('&amp;', '&')))
      .filter((link) => !/^(https?:|mailto:|data:)/.test(link))
      .filter((link) => {
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? page : join(dirname(page), path);
        if (target === TO_REFERENCE) return false;
        const file = target.endsWith('/') || target === '.' ? join(target, 'index.html') : target;
        const isThere = existsSync(join(SITE, file));
        return !isThere || (anchor !== undefined && anchor !== '' && ids.get(file)?.has(anchor) !== true);
      })
      .map((link) => `${page}: ${link}`),
  );
  expect(pages.length).toBeGreaterThan(50);
  expect(dead).toEqual([]);
});
