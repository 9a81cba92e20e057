import { type BillLine, type BillUnit, billLine } from '../bill-line.ts';
import type { Row } from '../row.ts';

const REPORT_UNITS = {
  uncached_input_tokens: 'inputTokens',
  cache_read_input_tokens: 'cachedInputTokens',
  cache_creation_ephemeral_5m_input_tokens: 'cacheWriteTokens',
  cache_creation_ephemeral_1h_input_tokens: 'cacheWrite1hTokens',
  output_tokens: 'outputTokens',
  server_tool_use_web_search_requests: 'webSearchRequests',
} as const satisfies Record<string, BillUnit>;

const CONSOLE_UNITS = {
  usage_input_tokens_no_cache: 'inputTokens',
  usage_input_tokens_cache_read: 'cachedInputTokens',
  usage_input_tokens_cache_write_5m: 'cacheWriteTokens',
  usage_input_tokens_cache_write_1h: 'cacheWrite1hTokens',
  usage_output_tokens: 'outputTokens',
  web_search_count: 'webSearchRequests',
} as const satisfies Record<string, BillUnit>;

type Base = Pick<BillLine, 'startTimeMs' | 'endTimeMs' | 'model' | 'credential' | 'project' | 'serviceTier'>;

/** Converts a result of the usage report of Anthropic's Admin API. */
export function anthropicUsageLines(row: Row): BillLine[] {
  return linesOf(row, REPORT_UNITS, {
    startTimeMs: row.time('starting_at'),
    endTimeMs: row.timeOrNull('ending_at'),
    model: row.text('model'),
    credential: row.text('api_key_id'),
    project: row.text('workspace_id'),
    serviceTier: row.text('service_tier')?.toLowerCase() ?? null,
  });
}

/** Converts a row of the usage export of Anthropic's console. */
export function anthropicConsoleUsageLines(row: Row): BillLine[] {
  return linesOf(row, CONSOLE_UNITS, {
    startTimeMs: row.time('usage_date_utc'),
    endTimeMs: null,
    model: row.text('model_version'),
    credential: row.text('api_key'),
    project: row.text('workspace'),
    serviceTier: row.text('usage_type')?.toLowerCase() ?? null,
  });
}

function linesOf(row: Row, units: Readonly<Record<string, BillUnit>>, base: Base): BillLine[] {
  return Object.entries(units).flatMap(([column, unit]) => {
    const quantity = row.count(column);
    return quantity === 0n ? [] : [billLine({ ...base, unit, unitName: column, quantity })];
  });
}
