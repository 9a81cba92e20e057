import type { CatalogMessage } from '@model-gateway/contracts';
import { filePricing, type PricesFrom } from '@model-gateway/shared';
import { catalogFile } from '../catalog-file/catalog-file.ts';
import { isApplicable, type LimitChange, type ModelComparison } from './compare-prices.ts';

export interface SyncedFrom {
  /** The URL or file name of the source. */
  source: string;
  /** Today, such as 2026-11-27. */
  date: string;
  /** True: also applies contexts, maximum outputs and modalities. */
  withLimits: boolean;
}

/**
 * Returns the models that a sync changes as entries of a catalog file. Changes `pricing`, `prices_from` and,
 * with `withLimits`, the limits.
 */
export function syncedModels(
  catalog: CatalogMessage,
  comparisons: readonly ModelComparison[],
  { date, source, withLimits }: SyncedFrom,
) {
  const entries = new Map(catalogFile(catalog).models.map((entry) => [entry.id, entry]));
  return comparisons.flatMap((comparison) => {
    const model = catalog.models.find(({ id }) => id === comparison.model);
    const entry = entries.get(comparison.model);
    if (model === undefined || entry === undefined || !('upstreams' in entry)) return [];
    const limits = withLimits ? Object.fromEntries(comparison.limits.map(newLimit)) : {};
    if (!isApplicable(comparison)) return Object.keys(limits).length === 0 ? [] : [{ ...entry, ...limits }];
    const changed = Object.fromEntries(comparison.changes.map((each) => [each.price, each.source]));
    const prices = { ...model.pricing, ...changed };
    const found = Object.keys(prices).filter((price) => !comparison.kept.includes(price));
    return [
      {
        ...entry,
        ...limits,
        pricing: filePricing(prices),
        prices_from: updateOrigins(entry.prices_from, { source, date, found, all: Object.keys(prices) }),
      },
    ];
  });
}

function newLimit({ member, source }: LimitChange) {
  return [member, source] as const;
}

/** Adds the prices that this sync has found. Other prices keep their source and date. */
function updateOrigins(
  before: PricesFrom | undefined = [],
  { all, date, found, source }: { source: string; date: string; found: string[]; all: string[] },
): PricesFrom {
  if (found.length === all.length) return [{ source, date }];
  const others = before.flatMap((each): PricesFrom => {
    if (each.prices === undefined) return [each];
    const rest = each.prices.filter((price) => !found.includes(price));
    return rest.length === 0 ? [] : [{ ...each, prices: rest }];
  });
  return [{ source, date, prices: found }, ...others];
}
