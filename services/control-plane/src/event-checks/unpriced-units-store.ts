import { Prisma } from '@model-gateway/database';
import { perUnit, priceOf, pricing, UNITS, unpricedColumns, utcDay } from '@model-gateway/shared';
import { z } from 'zod';
import { queryRows, type Transaction } from '../database/prisma-store.ts';
import { emitEvent } from '../events/emit-event-store.ts';
import { areRequests } from '../partitions/arrival-store.ts';
import { UNITS_USED, unitColumns } from '../usage/usage-store.ts';

/** One record for each model, price, service tier and set of units that were used. */
const usedUnits = z.array(
  z.object({
    requestId: z.string(),
    modelId: z.string(),
    pricing: z.object(pricing.shape),
    serviceTier: z.string().nullable(),
    ...unitColumns,
  }),
);
/** Units of one of several models that answered. */
const unpricedParts = z.array(z.object({ requestId: z.string(), modelId: z.string(), unit: z.string() }));
const stored = z.array(z.object({ id: z.string() }));

const UNITS_IN_USE = Prisma.raw(UNITS.map(({ column }) => `r.${column} > 0`).join(', '));

interface UnpricedUnit {
  requestId: string;
  modelId: string;
  /** As in receipts, such as `cache_write_tokens`. */
  unit: string;
}

/**
 * Stores an event for each unit without a price in records that are being added to the sums: once per model,
 * unit and day (UTC).
 */
export async function reportUnpricedUnits(
  transaction: Transaction,
  requestIds: readonly string[],
): Promise<void> {
  if (requestIds.length === 0) return;
  const which = areRequests(requestIds);
  const used = await queryRows(transaction, usedUnits)`
    SELECT DISTINCT ON (r.model_id, r.price_version, r.service_tier, ${UNITS_IN_USE}) r.request_id AS "requestId",
      r.model_id AS "modelId", r.service_tier AS "serviceTier", price.pricing, ${UNITS_USED}
    FROM usage_records r
    JOIN model_prices price ON price.model_id = r.model_id AND price.version = r.price_version
    WHERE ${which} AND r.parts IS NULL`;
  const ofParts = await queryRows(transaction, unpricedParts)`
    SELECT DISTINCT ON (2, 3) r.request_id AS "requestId", part->>'modelId' AS "modelId", unit
    FROM usage_records r, jsonb_array_elements(r.parts) AS part, jsonb_array_elements_text(part->'unpriced') AS unit
    WHERE ${which} AND r.parts IS NOT NULL`;
  const found = [...used.flatMap(unpricedOf), ...ofParts];
  if (found.length > 0) await report(transaction, found);
}

function unpricedOf({
  modelId,
  pricing,
  requestId,
  serviceTier,
  ...row
}: z.infer<typeof usedUnits>[number]): UnpricedUnit[] {
  const units = perUnit('unit', ({ unit }) => Number(row[unit]));
  const columns = unpricedColumns(units, priceOf(pricing), serviceTier ?? undefined);
  return columns.map((unit) => ({ modelId, requestId, unit }));
}

async function report(transaction: Transaction, found: readonly UnpricedUnit[]): Promise<void> {
  const day = utcDay(Date.now());
  const byId = new Map(found.map((each) => [`${each.modelId} ${each.unit} ${day}`, each]));
  const added = await queryRows(transaction, stored)`
    INSERT INTO reported_states (kind, id, level)
    SELECT 'unpriced', id, 1 FROM unnest(${[...byId.keys()]}::text[]) AS id ORDER BY id
    ON CONFLICT DO NOTHING RETURNING id`;
  await emitEvent(
    transaction,
    ...added.flatMap(({ id }) => {
      const unit = byId.get(id);
      if (unit === undefined) return [];
      const data = { model: unit.modelId, unit: unit.unit, day, request_id: unit.requestId };
      return [{ type: 'model.unpriced_unit' as const, accountId: null, data }];
    }),
  );
}
