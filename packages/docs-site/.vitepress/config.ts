import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { anchorOf } from '../src/anchor.ts';
import { tracksOf } from '../src/navigation.ts';

const PAGES = fileURLToPath(new URL('../pages', import.meta.url));
const tracks = tracksOf(readFileSync(`${PAGES}/index.md`, 'utf8'));

/** Uses relative links, so that the site works below any path. */
export default defineConfig({
  title: 'Model Gateway',
  description: 'Documentation of Model Gateway, a self-hosted LLM gateway',
  base: './',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  srcDir: 'pages',
  outDir: '../../services/catalog/dist',
  cacheDir: '../../.tools/vitepress',
  // http://localhost:8090 is the reader's own dashboard.
  ignoreDeadLinks: 'localhostLinks',
  // The pages are plain Markdown, also for GitHub: `<name>` in them is text.
  markdown: { html: false, anchor: { slugify: anchorOf } },
  themeConfig: {
    search: { provider: 'local' },
    nav: [{ text: 'API reference', link: '/api.html', target: '_self' }],
    sidebar: tracks.map(({ title, pages }, index) => ({
      text: title,
      collapsed: index > 2,
      items: pages.map((page) => ({ text: page.title, link: `/${page.path}` })),
    })),
    outline: [2, 3],
  },
});
