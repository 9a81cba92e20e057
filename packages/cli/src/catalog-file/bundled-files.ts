import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkCatalog,
  outdatedPrices,
  type PricesFrom,
  type Pricing,
  priceAgeDays,
} from '@model-gateway/shared';
import { parseCatalogFile } from './parse-catalog-file.ts';

/** Matches a placeholder for a value that only the user knows, such as a resource name. */
const PLACEHOLDER = /\$\{[A-Z][A-Z0-9_]*\}/g;

interface BundledPrice {
  file: string;
  pricesFrom: PricesFrom;
  pricing: Pricing;
}

export interface OldCatalog {
  file: string;
  /** The day of its oldest price, such as 2026-11-24. */
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

/** Returns the bundled catalogs with prices that are older than 60 days or have ended. */
export function oldCatalogs(folder: string, nowMs: number): OldCatalog[] {
  const old = new Map<string, string>();
  for (const { file, pricesFrom } of bundledPrices(folder).values()) {
    const found = outdatedPrices(pricesFrom, nowMs)?.date;
    const oldest = old.get(file);
    if (found !== undefined && (oldest === undefined || found < oldest)) old.set(file, found);
  }
  return [...old].map(([file, foundOn]) => ({ file, foundOn, ageDays: priceAgeDays(foundOn, nowMs) }));
}

/** Returns the prices of the bundled catalogs by model. */
export function bundledPrices(folder: string): Map<string, BundledPrice> {
  return new Map(
    bundledFiles(folder).flatMap((file) => {
      const text = readFileSync(file, 'utf8').replaceAll(PLACEHOLDER, 'us-east-1');
      const checked = checkCatalog(parseCatalogFile(text, file).content);
      if (!('document' in checked)) return [];
      return checked.document.models.flatMap(({ id, prices_from: pricesFrom, pricing }) =>
        pricesFrom === undefined ? [] : [[id, { file, pricesFrom, pricing }] as const],
      );
    }),
  );
}
