import type { HolderRequestMessage } from '@model-gateway/contracts';
import { formatUsd } from '@model-gateway/shared';
import { type RequestEntry, type RequestOutcome, requestEntry } from '../../wire/requests.ts';
import type { CsvRow } from '../http/send-csv.ts';

const { keyKind } = requestEntry.shape;

export function toRequestEntry(request: HolderRequestMessage): RequestEntry {
  return {
    requestId: request.requestId,
    endedAtMs: Number(request.endedAtMs),
    model: request.modelId,
    capability: request.capability,
    keyId: request.keyId,
    keyName: request.keyName,
    keyKind: keyKind.parse(request.keyKind),
    outcome: outcomeOf(request),
    status: request.clientStatus ?? null,
    errorCode: request.clientErrorCode ?? request.errorCode ?? null,
    httpStatus: request.httpStatus ?? null,
    refused:
      request.refused === null
        ? null
        : { count: request.refused.count, firstAtMs: Number(request.refused.firstAtMs) },
    latencyMs: request.latencyMs,
    timeToFirstTokenMs: request.timeToFirstTokenMs ?? null,
    inputTokens: Number(request.units?.inputTokens ?? 0),
    outputTokens: Number(request.units?.outputTokens ?? 0),
    costUsd: formatUsd(BigInt(request.cost)),
    tags: request.tags,
    endUser: request.endUser ?? null,
    session: request.session ?? null,
  };
}

/** Treats `estimated` as completed: it says how the units were counted, not how the request ended. */
function outcomeOf({ billingReason, refused }: HolderRequestMessage): RequestOutcome {
  if (refused !== null) return 'refused';
  if (billingReason === 'upstream_failed_free') return 'failed';
  return billingReason === 'aborted_partial' ? 'interrupted' : 'completed';
}

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
  'tags',
  'end_user',
  'session',
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
    Object.entries(entry.tags)
      .map(([name, value]) => `${name}=${value}`)
      .join(','),
    entry.endUser,
    entry.session,
    entry.costUsd,
  ];
}
