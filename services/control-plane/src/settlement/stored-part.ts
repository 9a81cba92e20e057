import { costOf, type Price, unitColumnsOf, unpricedUnits } from '@model-gateway/shared';
import type { SettledRequest } from './settled-request.ts';

/** What one model has consumed of a request, and the price that it names; undefined: it is free. */
export type PricedPart = SettledRequest['parts'][number] & { price: Price | undefined };

/** A part of a request as its usage record keeps it. Nano-USD are strings, because JSON would round them. */
export function storedPart({ modelId, priceVersion, units, price }: PricedPart) {
  return {
    modelId,
    priceVersion: priceVersion ?? null,
    units,
    cost: String(price === undefined ? 0n : costOf(units, price)),
    unpriced: price === undefined ? [] : unitColumnsOf(unpricedUnits(units, price)),
  };
}
