// Builds the documentation site from the Markdown of the repository: `npm run docs`.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';
import { llmsFiles } from './llms-files.ts';
import { ROOT, sitePage, sitePathOf, siteSources } from './site-pages.ts';

const SITE = fileURLToPath(new URL('..', import.meta.url));
/** Copies that VitePress compiles; their links lead to each other. */
const PAGES = join(SITE, 'pages');
/** The catalog service serves this folder below /docs/guide/. */
const OUT = join(ROOT, 'services/catalog/dist');

rmSync(PAGES, { recursive: true, force: true });
const pages = new Map<string, string>();
for (const source of siteSources()) {
  const { text, images } = sitePage(source);
  pages.set(sitePathOf(source) ?? source, text);
  for (const image of images) cpSync(join(ROOT, image), join(PAGES, sitePathOf(image) ?? image));
}
for (const [path, text] of pages) write(join(PAGES, path), text);
await build(SITE);
// Adds the pages as Markdown, and llms.txt, for programs.
for (const [path, text] of [...pages, ...llmsFiles(pages)]) write(join(OUT, path), text);

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
