import { nanoUsdOf, roundTo, UNITS } from '@model-gateway/shared';
import { type BillLine, billLine } from '../bill-line.ts';
import { disjointUnits, type UnitCounts } from '../disjoint-units.ts';
import type { Row } from '../row.ts';

const MS_SCALE = 3;

/**
 * Converts a row with one request. Units are named and counted as in the gateway's API, so `input_tokens`
 * includes cached tokens. The cost is in the line that counts the request.
 */
export function requestLines(row: Row): BillLine[] {
  const base = {
    startTimeMs: row.time('time'),
    model: row.text('model'),
    credential: row.text('credential'),
    project: row.text('project'),
    serviceTier: row.text('service_tier')?.toLowerCase() ?? null,
    requestId: row.text('request_id'),
    clientRequestId: row.text('client_request_id'),
  };
  const counts: UnitCounts = {};
  for (const { json, unit } of UNITS) {
    // Audio is in seconds with decimals.
    const seconds = unit === 'audioMs' ? row.decimal(json) : null;
    counts[unit] = seconds === null ? row.count(json) : roundTo(seconds, MS_SCALE);
  }
  const cost = row.decimal('cost_usd');
  const disjoint = disjointUnits(counts);
  return [
    ...UNITS.flatMap(({ json, unit }) => {
      const quantity = disjoint[unit];
      return quantity === undefined ? [] : [billLine({ ...base, unit, unitName: json, quantity })];
    }),
    billLine({
      ...base,
      unit: 'requests',
      unitName: 'requests',
      quantity: 1n,
      requests: 1,
      costNanoUsd: cost === null ? null : nanoUsdOf(cost),
    }),
  ];
}
