import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url);
const FENCED = /^( *)```.*?^\1```$/gms;

/** The paths of all files of the repository, without what is installed, generated or built. */
export function files(): string[] {
  const folders = '{bench,deploy,docs,packages,prisma,proto,scripts,services}/**/*.*';
  return globSync(['*.*', '.env.example', '**/Dockerfile', folders], {
    cwd: fileURLToPath(ROOT),
    exclude: (path) => /node_modules|generated|dist$|^\.(?!env)/.test(path),
  }).sort();
}

/** The paths of all Markdown pages of the repository. */
export function pages(): string[] {
  return files().filter((path) => path.endsWith('.md'));
}

export function readPage(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}

/** The texts of all headings. Lines in examples that look like headings are left out. */
export function headingsOf(page: string): string[] {
  const prose = page.replaceAll(FENCED, '');
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.replaceAll('`', ''));
}

/** The anchors that GitHub makes of headings. */
export function anchorsOf(page: string): Set<string> {
  return new Set(
    headingsOf(page).map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** The links of a page to targets inside the repository: in text, around images, and by reference. */
export function linksOf(page: string): string[] {
  const prose = page.replaceAll(FENCED, '');
  const inline = [...prose.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)];
  const byReference = [...prose.matchAll(/^\[[^\]]+\]: (?!https?:|mailto:)(\S+)/gm)];
  return [...inline, ...byReference].map(([, link = '']) => link);
}

/** The files and folders of the repository that the text of a page names. */
export function namedPathsOf(page: string): string[] {
  const paths = page.matchAll(/`((?:bench|deploy|docs|packages|prisma|proto|scripts|services)\/[\w./@-]+)`/g);
  return [...paths].map(([, path = '']) => path);
}

/** @param path from the top of the repository; a test may be named without `.test.ts` */
export function isThere(path: string): boolean {
  return ['', '.test.ts'].some((end) => existsSync(new URL(`${path}${end}`, ROOT)));
}

/** @returns what is missing; undefined: the link leads somewhere */
export function whatIsMissing(from: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? new URL(from, ROOT) : new URL(path, new URL(from, ROOT));
  if (!existsSync(target)) return `${from}: there is no ${link}`;
  if (anchor === undefined) return undefined;
  const isPage = statSync(target).isFile() && target.pathname.endsWith('.md');
  if (isPage && anchorsOf(readFileSync(target, 'utf8')).has(anchor)) return undefined;
  return `${from}: ${path === '' ? 'the page itself' : path} has no heading for #${anchor}`;
}
