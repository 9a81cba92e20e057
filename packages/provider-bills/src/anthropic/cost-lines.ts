import { nanoUsdOf, roundTo } from '@model-gateway/shared';
import { type BillLine, type BillUnit, billLine } from '../bill-line.ts';
import type { Row } from '../row.ts';

/** Decimals between the cents of the report and nano-USD. */
const CENTS_TO_NANO_SCALE = 7;

/** Token types of the report and of the console's export. */
const UNITS: Readonly<Record<string, BillUnit>> = {
  uncached_input_tokens: 'inputTokens',
  input_no_cache: 'inputTokens',
  cache_read_input_tokens: 'cachedInputTokens',
  input_cache_read: 'cachedInputTokens',
  cache_creation_ephemeral_5m_input_tokens: 'cacheWriteTokens',
  input_cache_write_5m: 'cacheWriteTokens',
  cache_creation_ephemeral_1h_input_tokens: 'cacheWrite1hTokens',
  input_cache_write_1h: 'cacheWrite1hTokens',
  output_tokens: 'outputTokens',
  output: 'outputTokens',
  web_search: 'webSearchRequests',
};

/** Converts a result of the cost report of Anthropic's Admin API. */
export function anthropicCostLines(row: Row): BillLine[] {
  row.requireUsd('currency');
  const amount = row.decimal('amount');
  if (amount === null) return [];
  const name = row.text('token_type') ?? row.text('cost_type') ?? '';
  return [
    billLine({
      startTimeMs: row.time('starting_at'),
      endTimeMs: row.timeOrNull('ending_at'),
      model: row.text('model'),
      project: row.text('workspace_id'),
      serviceTier: row.text('service_tier')?.toLowerCase() ?? null,
      unit: unitOf(name),
      unitName: row.text('description') ?? (name || 'total'),
      costNanoUsd: roundTo(amount, CENTS_TO_NANO_SCALE),
    }),
  ];
}

/** Converts a row of the cost export of Anthropic's console, whose models have display names. */
export function anthropicConsoleCostLines(row: Row): BillLine[] {
  const cost = row.decimal('cost_usd');
  if (cost === null) return [];
  const usageType = row.text('usage_type')?.toLowerCase() ?? null;
  const name = row.text('token_type') ?? row.text('cost_type') ?? '';
  return [
    billLine({
      startTimeMs: row.time('usage_date_utc'),
      model: row.text('model'),
      credential: row.text('api_key_id') ?? row.text('api_key'),
      project: row.text('workspace'),
      serviceTier: usageType === 'message' ? null : usageType,
      unit: unitOf(name),
      unitName: name || 'total',
      costNanoUsd: nanoUsdOf(cost),
    }),
  ];
}

/** Finds the unit of a token type. The report writes `cache_creation.ephemeral_5m_input_tokens`. */
function unitOf(name: string): BillUnit | null {
  return UNITS[name.replaceAll('.', '_')] ?? null;
}
