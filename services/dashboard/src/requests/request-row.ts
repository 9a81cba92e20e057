import type { RequestEntry } from '../../wire/requests.ts';
import type { CsvRow } from '../http/send-csv.ts';

/**
 * `http_status` is the provider's status, `status` the caller's. A row of refused requests stands for
 * `requests` of them, from `first_at` to `ended_at`.
 */
export const REQUEST_COLUMNS = [
  'ended_at',
  'request_id',
  'model',
  'capability',
  'key_name',
  'outcome',
  'http_status',
  'error_code',
  'latency_ms',
  'time_to_first_token_ms',
  'input_tokens',
  'output_tokens',
  'status',
  'requests',
  'first_at',
  'cost_usd',
] as const;

export function toRequestRow(entry: RequestEntry): CsvRow {
  return [
    new Date(entry.endedAtMs).toISOString(),
    entry.requestId,
    entry.model,
    entry.capability,
    entry.keyName,
    entry.outcome,
    entry.httpStatus,
    entry.errorCode,
    entry.latencyMs,
    entry.timeToFirstTokenMs,
    entry.inputTokens,
    entry.outputTokens,
    entry.status,
    entry.refused?.count ?? 1,
    entry.refused === null ? null : new Date(entry.refused.firstAtMs).toISOString(),
    entry.costUsd,
  ];
}
