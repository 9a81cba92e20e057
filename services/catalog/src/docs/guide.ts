import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { type Handler, pageHeaders, staticAnswer } from '@model-gateway/api-reference';
import type { Request, Response } from 'express';

/** Path of the site's start page, with which its other paths begin. */
export const GUIDE_ROOT = '/docs/guide/';
/** Built by packages/docs-site. A test gateway may run without it. */
const FOLDER = fileURLToPath(new URL('../../dist', import.meta.url));
/** Leads from the site to the API reference, because VitePress cannot link outside of its folder. */
const TO_REFERENCE = 'api.html';
/** Files of this folder have a hash of their content in their names. */
const HASHED = 'assets/';
const YEAR_SECONDS = 365 * 24 * 60 * 60;
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
};
const INLINE_SCRIPT = /<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs;

/** @returns the handler of all paths below `GUIDE_ROOT`; undefined: the site was not built */
export function createGuideHandler(folder = FOLDER): Handler | undefined {
  if (!existsSync(join(folder, 'index.html'))) return undefined;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = new Set(files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)));
  // Reads a file at its first request, because most pages are never requested.
  const handlers = new Map<string, Handler>();
  return (req, res) => {
    const wanted = req.path.slice(GUIDE_ROOT.length);
    if (wanted === TO_REFERENCE) return redirect(res, '../../docs');
    const path = wanted === '' ? 'index.html' : wanted;
    if (!paths.has(path)) return sendNotFound(res, wanted);
    const handler = handlers.get(path) ?? fileHandler(path, readFileSync(join(folder, path)));
    handlers.set(path, handler);
    handler(req, res);
  };
}

/** Redirects `/docs/guide`, whose relative links would lead elsewhere. */
export function redirectToGuide(_req: Request, res: Response): void {
  redirect(res, 'guide/');
}

function fileHandler(path: string, content: Buffer): Handler {
  const isPage = path.endsWith('.html');
  return staticAnswer({
    contentType: CONTENT_TYPES[extname(path)] ?? 'application/octet-stream',
    load: () => content,
    ...(isPage && { headers: pageHeaders(scriptHashes(content.toString())) }),
    ...(path.startsWith(HASHED) && { cacheControl: `public, max-age=${YEAR_SECONDS}, immutable` }),
  });
}

function scriptHashes(page: string): string[] {
  return [...page.matchAll(INLINE_SCRIPT)].map(
    ([, script = '']) => `sha256-${createHash('sha256').update(script).digest('base64')}`,
  );
}

/** @param location relative, so that it also works behind a path prefix */
function redirect(res: Response, location: string): void {
  res.writeHead(302, { location, 'cache-control': 'public, max-age=300' }).end();
}

function sendNotFound(res: Response, path: string): void {
  const root = '../'.repeat(path.split('/').length - 1) || './';
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not found | Model Gateway</title>
<h1>There is no such page</h1>
<p>Go to the <a href="${root}">documentation</a> or to the <a href="${root}../../docs">API reference</a>.</p>
</html>
`;
  res.writeHead(404, {
    ...pageHeaders(),
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  res.end(body);
}
