import { costOf, type Price, unitColumnsOf, unpricedUnits } from '@model-gateway/shared';
import type { ReportedRequest } from './reported-request.ts';

/** Consumption of one model; price undefined: free. */
export type PricedPart = ReportedRequest['parts'][number] & { price: Price | undefined };

export function storedPart({ modelId, priceVersion, units, price }: PricedPart) {
  return {
    modelId,
    priceVersion: priceVersion ?? null,
    units,
    cost: String(price === undefined ? 0n : costOf(units, price)),
    unpriced: price === undefined ? [] : unitColumnsOf(unpricedUnits(units, price)),
  };
}
