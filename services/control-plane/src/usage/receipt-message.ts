import { arrivedAtMs, flatPricing, perUnit, priceOf, unpricedColumns } from '@model-gateway/shared';
import { omitAbsent } from '../omit-absent.ts';
import { clientStatusOf } from './client-status.ts';
import { labelsMessage } from './labels-message.ts';
import { requestHeadMessage } from './request-head-message.ts';
import { unitsMessage } from './units-message.ts';
import type { ReceiptRow } from './usage-store.ts';

export function receiptMessage(row: ReceiptRow) {
  return {
    ...requestHeadMessage(row),
    ...omitAbsent({
      usageSource: row.usageSource,
      priceVersion: row.priceVersion,
      serviceTier: row.serviceTier,
    }),
    pricing: row.pricing === null ? {} : flatPricing(row.pricing),
    ...partsMessage(row),
    held: String(row.held),
    cost: String(row.cost),
    charged: String(row.charged),
    uncollected: String(row.uncollected),
    debits: row.debits,
    attempts: row.attempts.map(({ providerId, durationMs, endedAtMs, ...attempt }) => ({
      providerId,
      durationMs,
      ...omitAbsent({ ...attempt, startedAtMs: endedAtMs && Math.round(endedAtMs - durationMs) }),
    })),
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

function partsMessage(row: ReceiptRow) {
  if (row.parts === null) return { unpriced: unpricedOf(row), parts: [] };
  return {
    unpriced: [...new Set(row.parts.flatMap(({ unpriced }) => unpriced))],
    parts: row.parts.map(({ priceVersion, units, ...part }) => ({
      ...part,
      ...omitAbsent({ priceVersion }),
      units: unitsMessage(perUnit('unit', ({ unit }) => BigInt(units[unit]))),
    })),
  };
}

/** Price versions never change, so missing prices can be derived at any time. */
function unpricedOf({ pricing, ...row }: ReceiptRow): string[] {
  if (pricing === null) return [];
  const units = perUnit('unit', ({ unit }) => Number(row[unit]));
  return unpricedColumns(units, priceOf(pricing), row.serviceTier ?? undefined);
}
