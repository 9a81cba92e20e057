import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkCatalog, type Pricing } from '@model-gateway/shared';
import { parseCatalogFile } from './parse-catalog-file.ts';

/** Prices older than this are worth comparing with the provider's list. */
export const MAX_PRICE_AGE_DAYS = 60;

const DAY_MS = 86_400_000;
/** Matches a placeholder for a value that only the user knows, such as a resource name. */
const PLACEHOLDER = /\$\{[A-Z][A-Z0-9_]*\}/g;

interface BundledPrice {
  file: string;
  /** The day when the price was found, such as 2026-11-24. */
  foundOn: string;
  pricing: Pricing;
}

export interface OldCatalog {
  file: string;
  foundOn: string;
  ageDays: number;
}

/** Returns the paths of the bundled catalogs. */
export function bundledFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => join(folder, file));
}

/** Returns the paths of the bundled catalogs whose providers use this credential. */
export function bundledFilesWith(folder: string, credential: string): string[] {
  const names = new RegExp(`^ *credential_env:.*\\b${credential}\\b`, 'm');
  return bundledFiles(folder).filter((path) => names.test(readFileSync(path, 'utf8')));
}

/** Returns the day when the prices of a bundled catalog were found; undefined: its head names none. */
export function pricesFoundOn(text: string): string | undefined {
  const head = text.split(/^(?!#)/m, 1)[0] ?? '';
  return /[Pp]rices\b[^.]*? on (\d{4}-\d\d-\d\d)/s.exec(head)?.[1];
}

/** Returns the age of a price in whole days. */
export function priceAgeDays(foundOn: string, nowMs: number): number {
  return Math.floor((nowMs - Date.parse(foundOn)) / DAY_MS);
}

/** Returns the bundled catalogs whose prices are older than 60 days. */
export function oldCatalogs(folder: string, nowMs: number): OldCatalog[] {
  return bundledFiles(folder).flatMap((file) => {
    const foundOn = pricesFoundOn(readFileSync(file, 'utf8'));
    const ageDays = foundOn === undefined ? 0 : priceAgeDays(foundOn, nowMs);
    return foundOn === undefined || ageDays <= MAX_PRICE_AGE_DAYS ? [] : [{ file, foundOn, ageDays }];
  });
}

/** Returns the prices of the bundled catalogs by model. */
export function bundledPrices(folder: string): Map<string, BundledPrice> {
  return new Map(
    bundledFiles(folder).flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const foundOn = pricesFoundOn(text);
      const parsed = parseCatalogFile(text.replaceAll(PLACEHOLDER, 'placeholder'), file).content;
      const checked = checkCatalog(parsed);
      if (foundOn === undefined || !('document' in checked)) return [];
      return checked.document.models
        .filter(({ tier }) => tier === 'paid')
        .map(({ id, pricing }) => [id, { file, foundOn, pricing }] as const);
    }),
  );
}
