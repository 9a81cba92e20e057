import {
  arrivedAtMs,
  flatPricing,
  PriceListVersion,
  perUnit,
  priceListTerms,
  priceOf,
  unpricedColumns,
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
    ...omitAbsent({ serviceTier: row.serviceTier }),
    pricing: chargedPricing(row),
    ...partsMessage(row, withCost),
    held: String(row.held),
    cost: String(row.cost),
    charged: String(row.charged),
    uncollected: String(row.uncollected),
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

/** Returns the prices that the payer was charged; none if a newer release made the version of the list. */
function chargedPricing(row: ReceiptRow) {
  const { modelId, pricing } = row;
  if (pricing === null) return {};
  const list = priceListOf(row);
  return list === 'unknown'
    ? {}
    : (list?.sellingPricing(modelId, flatPricing(pricing)) ?? flatPricing(pricing));
}

/** Versions never change, so missing prices can be derived at any time. */
function unpricedOf({ pricing, ...row }: ReceiptRow): string[] {
  if (pricing === null) return [];
  const units = perUnit('unit', ({ unit }) => Number(row[unit]));
  return unpricedColumns(units, priceOf(pricing), row.serviceTier ?? undefined);
}

function priceListOf({
  priceListTerms: stored,
  priceListVersion,
}: Pick<ReceiptRow, 'priceListTerms' | 'priceListVersion'>): PriceListVersion | undefined | 'unknown' {
  if (priceListVersion === null) return undefined;
  const { data } = priceListTerms.safeParse(stored);
  return data === undefined ? 'unknown' : new PriceListVersion(priceListVersion, 0, data);
}
