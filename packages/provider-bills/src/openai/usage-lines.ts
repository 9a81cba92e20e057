import { type BillLine, type BillUnit, billLine, requestsLine } from '../bill-line.ts';
import type { Row } from '../row.ts';

/** Columns for which the gateway has no unit. */
const UNKNOWN = ['num_sessions', 'usage_bytes'];
const MS_PER_SECOND = 1_000n;

/**
 * Converts a result of OpenAI's usage API, or a row of the dashboard's activity export, which has the same
 * members. `input_tokens` includes cached tokens; since the API reports `input_uncached_tokens`, it includes
 * audio and images as well.
 */
export function openAiUsageLines(row: Row): BillLine[] {
  const batch = row.text('batch')?.toLowerCase() === 'true' ? 'batch' : null;
  const base = {
    startTimeMs: row.time('start_time'),
    endTimeMs: row.timeOrNull('end_time'),
    model: row.text('model'),
    credential: row.text('api_key_id'),
    project: row.text('project_id'),
    serviceTier: batch ?? row.text('service_tier')?.toLowerCase() ?? null,
  };
  const line = (unit: BillUnit | null, unitName: string, quantity: bigint): BillLine[] =>
    quantity === 0n ? [] : [billLine({ ...base, unit, unitName, quantity })];
  const each = (unit: BillUnit, column: string, factor = 1n) =>
    line(unit, column, row.count(column) * factor);

  const inputHasAll = row.has('input_uncached_tokens') || row.has('input_text_tokens');
  const outputHasAll = row.has('output_text_tokens');
  const media = (direction: string) =>
    row.count(`${direction}_audio_tokens`) + row.count(`${direction}_image_tokens`);
  const cached = row.count('input_cached_tokens') + row.count('input_cache_write_tokens');
  const input = row.count('input_tokens') - cached - (inputHasAll ? media('input') : 0n);
  const output = row.count('output_tokens') - (outputHasAll ? media('output') : 0n);
  // The report of searches repeats requests that the usage of their models counts already.
  const isSearch = row.has('num_requests');
  return [
    ...line('inputTokens', 'input_tokens', input),
    ...each('cachedInputTokens', 'input_cached_tokens'),
    ...each('cacheWriteTokens', 'input_cache_write_tokens'),
    ...each('audioInputTokens', 'input_audio_tokens'),
    ...each('imageInputTokens', 'input_image_tokens'),
    ...line('outputTokens', 'output_tokens', output),
    ...each('audioOutputTokens', 'output_audio_tokens'),
    ...each('imageOutputTokens', 'output_image_tokens'),
    ...each('images', 'images'),
    ...each('characters', 'characters'),
    ...each('audioMs', 'seconds', MS_PER_SECOND),
    ...each('webSearchRequests', 'num_requests'),
    ...UNKNOWN.flatMap((column) => line(null, column, row.count(column))),
    ...(isSearch ? [] : requestsLine(base, 'num_model_requests', row.count('num_model_requests'))),
  ];
}
