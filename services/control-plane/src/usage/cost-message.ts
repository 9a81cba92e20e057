import { omitAbsent } from '../omit-absent.ts';
import type { ReceiptRow } from './usage-store.ts';

type CostRow = Pick<ReceiptRow, 'cost' | 'providerCost' | 'attemptsCost' | 'priceListVersion'>;

/** Returns what only operators see of a request's money. @param withCost false: nothing */
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
