import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DashboardConfig } from '../config.ts';

type Product = DashboardConfig['product'];

/** The placeholder for the nonce in the built page (vite.config.ts). */
const NONCE = '__CSP_NONCE__';

export interface Site {
  folder: string;
  /** Returns index.html, the same for every path. */
  page(nonce: string): string;
}

/** Matches the name and the logo in the built page. */
const NAME = /(?<=<title>|name="application-name" content=")Model Gateway(?=<|")/g;
const LOGO = /(?<=<link rel="icon"[^>]*href=")\/logo\.svg(?=")/;

/**
 * Reads the built site, with the product's name and logo in its page.
 * @param product its name has no character with a meaning in HTML
 * @throws when the site has not been built
 */
export async function loadSite(folder: string, { name, logoUrl }: Product): Promise<Site> {
  const index = join(folder, 'index.html');
  const html = await readFile(index, 'utf8').catch((cause: unknown) => {
    throw new Error(`the dashboard's site is not built: ${index} is missing; run "npm run build"`, { cause });
  });
  const logo = logoUrl === undefined ? undefined : new URL(logoUrl).href.replaceAll('&', '&amp;');
  const parts = html
    .replace(NAME, () => name)
    .replace(LOGO, (own) => logo ?? own)
    .split(NONCE);
  return { folder, page: (nonce) => parts.join(nonce) };
}
