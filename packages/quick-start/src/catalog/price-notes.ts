import { isDeepStrictEqual } from 'node:util';
import { type CatalogDocument, MAX_PRICE_AGE_DAYS, outdatedPrices } from '@model-gateway/shared';
import type { BundledCatalog } from './bundled-catalogs.ts';

/**
 * Returns a note if prices of the catalog are older than 60 days or have ended. Catalogs of earlier releases
 * do not say when their prices were found: they count as the bundled ones, if they are the same.
 */
export function priceNotes(
  { models }: CatalogDocument,
  bundles: readonly BundledCatalog[],
  nowMs: number,
): string[] {
  const bundled = new Map(
    bundles.flatMap(({ document }) => document.models.map((model) => [model.id, model])),
  );
  const outdated = models.flatMap(({ id, prices_from: own, pricing }) => {
    const same = bundled.get(id);
    const origins = own ?? (isDeepStrictEqual(same?.pricing, pricing) ? same?.prices_from : undefined) ?? [];
    const entry = outdatedPrices(origins, nowMs);
    return entry === undefined ? [] : [{ id, ...entry }];
  });
  const [oldest] = outdated.toSorted((left, right) => left.date.localeCompare(right.date));
  if (oldest === undefined) return [];
  return [
    `Prices of ${outdated.length} models are older than ${MAX_PRICE_AGE_DAYS} days or have ended, such as ` +
      `${oldest.id} (${oldest.date}): compare them before you bill anybody (gatewayctl prices sync).`,
  ];
}
