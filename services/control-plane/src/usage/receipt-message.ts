import {
  arrivedAtMs,
  flatPricing,
  PriceListVersion,
  perUnit,
  priceOf,
  unitColumnsOf,
  unpricedUnits,
} from '@model-gateway/shared';
import { omitAbsent } from '../omit-absent.ts';
import { clientStatusOf } from './client-status.ts';
import { costMessage } from './cost-message.ts';
import { labelsMessage } from './labels-message.ts';
import { requestHeadMessage } from './request-head-message.ts';
import { unitsMessage } from './units-message.ts';
import type { ReceiptRow, StoredAttempt } from './usage-store.ts';

/** @param withCost includes what only operators see */
export function receiptMessage(row: ReceiptRow, withCost: boolean) {
  return {
    ...requestHeadMessage(row),
    ...omitAbsent({ usageSource: row.usageSource, priceVersion: row.priceVersion }),
    pricing: chargedPricing(row),
    ...partsMessage(row, withCost),
    held: String(row.held),
    cost: String(row.cost),
    charged: String(row.charged),
    uncollected: String(row.uncollected),
    ...omitAbsent({ serviceTier: row.serviceTier }),
    ...costMessage(row, withCost),
    debits: row.debits,
    attempts: row.attempts.map((attempt) => attemptMessage(attempt, withCost)),
    ...omitAbsent({ arrivedAtMs: arrivedAtMs(row.requestId) }),
    settledAtMs: row.settledAt.getTime(),
    hasContents: row.hasContents,
    billingReason: row.billingReason,
    ...clientStatusOf(row),
    ...labelsMessage(row),
    ...omitAbsent({ affinity: row.affinity }),
    budgets: row.budgets ?? [],
  };
}

/** Returns the prices that the payer is charged. */
function chargedPricing(row: ReceiptRow) {
  if (row.pricing === null) return {};
  const cost = flatPricing(row.pricing);
  return priceListOf(row)?.sellingPricing(row.modelId, cost) ?? cost;
}

function priceListOf({ priceListTerms, priceListVersion }: ReceiptRow): PriceListVersion | undefined {
  if (priceListTerms === null || priceListVersion === null) return undefined;
  return new PriceListVersion(priceListVersion, 0, priceListTerms);
}

function attemptMessage(
  {
    durationMs,
    endedAtMs,
    estimatedCost,
    estimatedUnits,
    providerId,
    providerRequestId,
    ...attempt
  }: StoredAttempt,
  withCost: boolean,
) {
  return {
    ...{ providerId, durationMs },
    ...omitAbsent({ ...attempt, startedAtMs: endedAtMs && Math.round(endedAtMs - durationMs) }),
    estimatedUnits: withCost && estimatedUnits ? storedUnitsMessage(estimatedUnits) : null,
    ...(withCost && omitAbsent({ estimatedCost, providerRequestId })),
  };
}

function partsMessage(row: ReceiptRow, withCost: boolean) {
  if (row.parts === null) return { unpriced: unpricedOf(row), parts: [] };
  return {
    unpriced: [...new Set(row.parts.flatMap(({ unpriced }) => unpriced))],
    parts: row.parts.map(({ priceVersion, providerCost, units, ...part }) => ({
      ...part,
      ...omitAbsent({ priceVersion }),
      units: storedUnitsMessage(units),
      ...(withCost && { providerCost: providerCost ?? part.cost }),
    })),
  };
}

function storedUnitsMessage(units: NonNullable<StoredAttempt['estimatedUnits']>) {
  return unitsMessage(perUnit('unit', ({ unit }) => BigInt(units[unit])));
}

/** Price versions never change, so missing prices can be derived at any time. */
function unpricedOf(row: ReceiptRow): string[] {
  const { pricing } = row;
  if (pricing === null) return [];
  const units = perUnit('unit', ({ unit }) => Number(row[unit]));
  const cost = priceOf(pricing);
  return unitColumnsOf(unpricedUnits(units, priceListOf(row)?.sellingPrice(row.modelId, cost) ?? cost));
}
