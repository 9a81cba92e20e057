import { omitAbsent } from '../omit-absent.ts';
import type { ReceiptRow } from './usage-store.ts';

type CostRow = Pick<ReceiptRow, 'cost' | 'providerCost' | 'attemptsCost' | 'priceListVersion'>;

/** Returns the money of a request that only operators see. @param withCost false: returns nothing */
export function costMessage(
  { attemptsCost, cost, priceListVersion, providerCost }: CostRow,
  withCost: boolean,
): { providerCost?: string; attemptsCost?: string; priceListVersion?: number } {
  if (!withCost) return {};
  return {
    providerCost: String(providerCost ?? cost),
    attemptsCost: String(attemptsCost ?? 0n),
    ...omitAbsent({ priceListVersion }),
  };
}
