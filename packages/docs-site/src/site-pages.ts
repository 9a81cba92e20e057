import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path/posix';
import { fileURLToPath } from 'node:url';

/** The top of the repository. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** The start page. Its headings and lists are also the navigation. */
export const HOME = 'docs/README.md';
/** Pages outside `docs`, with their paths on the site. Other files of the repository are not on it. */
const OTHER_PAGES: Readonly<Record<string, string>> = {
  'README.md': 'start.md',
  'CHANGELOG.md': 'changelog.md',
  'SECURITY.md': 'security.md',
  'deploy/README.md': 'containers.md',
  'deploy/helm/README.md': 'helm.md',
  'deploy/kubernetes/README.md': 'kubernetes.md',
  'deploy/monitoring/README.md': 'monitoring.md',
};
/** Matches code blocks, and links and images outside of them. A link's text may hold brackets or an image. */
const EXAMPLE_OR_LINK =
  /^( *)```.*?^\1```$|(!?)\[((?:[^[\]]|\[[^[\]]*\])*)\]\((?!https?:|mailto:|#)([^)\s]+)\)/gms;

/** A page of the site. */
export interface SitePage {
  /** The Markdown, whose links lead to files of the site. */
  text: string;
  /** Paths in the repository of the images that it shows. */
  images: readonly string[];
}

/** Returns the paths in the repository of all pages of the site, the start page first. */
export function siteSources(): string[] {
  const docs = globSync('docs/**/*.md', { cwd: ROOT }).filter((path) => path !== HOME);
  return [HOME, ...[...docs, ...Object.keys(OTHER_PAGES)].sort()];
}

/** @returns the path of a page or an image on the site; undefined: the site does not have this file */
export function sitePathOf(source: string): string | undefined {
  if (source === HOME) return 'index.md';
  if (!source.startsWith('docs/')) return OTHER_PAGES[source];
  return /\.(md|png)$/.test(source) ? source.slice('docs/'.length) : undefined;
}

/**
 * Reads a page of the site. Its links lead to files of the site.
 * @param source path in the repository
 */
export function sitePage(source: string): SitePage {
  const from = dirname(sitePathOf(source) ?? source);
  const images: string[] = [];
  // Removes comments, which are for authors.
  const markdown = readFileSync(join(ROOT, source), 'utf8').replaceAll(/^<!--.*?-->\n+/gms, '');
  const text = rewriteLinks(markdown, (target) => {
    const [file = '', anchor] = target.split('#');
    const linked = join(dirname(source), file);
    const path = sitePathOf(linked);
    if (path === undefined) return undefined;
    if (path.endsWith('.png')) images.push(linked);
    return `./${relative(from, path)}${anchor === undefined ? '' : `#${anchor}`}`;
  });
  return { text, images };
}

/**
 * Replaces the targets of a page's links to files, except in code blocks.
 * @param resolve returns the new target; undefined: only the text of the link remains
 */
export function rewriteLinks(page: string, resolve: (target: string) => string | undefined): string {
  const rewrite = (markdown: string): string =>
    markdown.replaceAll(EXAMPLE_OR_LINK, (found, _indent, mark = '', text = '', target?: string) => {
      if (target === undefined) return found;
      const resolved = resolve(target);
      return resolved === undefined ? rewrite(text) : `${mark}[${rewrite(text)}](${resolved})`;
    });
  return rewrite(page);
}
