import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The placeholder for the nonce in the built page (vite.config.ts). */
const NONCE = '__CSP_NONCE__';

export interface Site {
  folder: string;
  /** Returns index.html, the same for every path. */
  page(nonce: string): string;
}

/** @throws when the site has not been built */
export async function loadSite(folder: string): Promise<Site> {
  const index = join(folder, 'index.html');
  const html = await readFile(index, 'utf8').catch((cause: unknown) => {
    throw new Error(`the dashboard's site is not built: ${index} is missing; run "npm run build"`, { cause });
  });
  const parts = html.split(NONCE);
  return { folder, page: (nonce) => parts.join(nonce) };
}
