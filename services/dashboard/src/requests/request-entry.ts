import type { HolderRequestMessage } from '@model-gateway/contracts';
import { formatUsd } from '@model-gateway/shared';
import { type RequestEntry, type RequestOutcome, requestEntry } from '../../wire/requests.ts';

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
  };
}

/** Treats `estimated` as completed: it says how the units were counted, not how the request ended. */
function outcomeOf({ billingReason, refused }: HolderRequestMessage): RequestOutcome {
  if (refused !== null) return 'refused';
  if (billingReason === 'upstream_failed_free') return 'failed';
  return billingReason === 'aborted_partial' ? 'interrupted' : 'completed';
}
