import type { DataPlaneMetrics } from '../observability/data-plane-metrics.ts';
import type { Exchange, RequestRecord, UpstreamAttempt, Usage } from '../request-record.ts';
import type { SettledAttempt } from '../settlement/settled-request.ts';
import type { SettlementStream } from '../settlement/settlement-stream.ts';

/** Why a request costs what it costs (wire format, receipts). */
export type BillingReason = 'completed' | 'aborted_partial' | 'upstream_failed_free' | 'estimated';

/** What one request consumed. Free-tier models are recorded too, at no cost. */
export interface UsageRecord {
  requestId: string;
  accountId: string;
  keyId: string;
  modelId: string;
  /** Undefined: nothing was delivered, so nothing was consumed. */
  usage: Usage | undefined;
  billingReason: BillingReason;
}

export interface SettleContext {
  settlement: Pick<SettlementStream, 'record'>;
  metrics: Pick<DataPlaneMetrics, 'tokens' | 'upstreamAttempts' | 'timeToFirstToken'>;
}

/** Records, exactly once per request that reached a provider, what it consumed. Whatever the exit, this runs. */
export function settleUsage({ metrics, settlement }: SettleContext, { record }: Exchange): void {
  for (const { providerId: provider, outcome = 'failed' } of record.attempts) {
    metrics.upstreamAttempts.inc({ provider, outcome });
  }
  const last = record.attempts.at(-1);
  if (last === undefined) return;
  if (record.model !== undefined) {
    settlement.record({
      requestId: record.id,
      modelId: record.model.id,
      attempts: record.attempts.map((attempt) => settledAttempt(attempt, record.streamed)),
    });
  }
  const provider = last.providerId;
  if (record.streamed && last.firstByteAtMs !== undefined) {
    metrics.timeToFirstToken.observe({ provider }, (last.firstByteAtMs - record.startedAtMs) / 1_000);
  }
  const settled = usageRecord(record);
  if (settled?.usage === undefined) return;
  metrics.tokens.inc({ provider, kind: 'input' }, settled.usage.inputTokens);
  metrics.tokens.inc({ provider, kind: 'cached_input' }, settled.usage.cachedInputTokens);
  metrics.tokens.inc({ provider, kind: 'output' }, settled.usage.outputTokens);
}

function settledAttempt(attempt: UpstreamAttempt, streamed: boolean): SettledAttempt {
  const { providerId, outcome = 'failed', startedAtMs, firstByteAtMs } = attempt;
  const endedAtMs = attempt.endedAtMs ?? performance.now();
  return {
    providerId,
    // The provider did its part when it rejected a request.
    outcome: outcome === 'rejected' ? 'completed' : outcome,
    latencyMs: endedAtMs - startedAtMs,
    ...(streamed && firstByteAtMs !== undefined ? { timeToFirstTokenMs: firstByteAtMs - startedAtMs } : {}),
    endedAtMs: performance.timeOrigin + endedAtMs,
  };
}

/** @returns undefined when the request was never admitted to a provider */
function usageRecord(record: RequestRecord): UsageRecord | undefined {
  const { attempts, key, model } = record;
  if (attempts.length === 0 || key === undefined || model === undefined) return undefined;
  return {
    requestId: record.id,
    accountId: key.accountId,
    keyId: key.keyId,
    modelId: model.id,
    usage: record.usage,
    billingReason: billingReason(record),
  };
}

function billingReason({ outcome, usage }: RequestRecord): BillingReason {
  if (usage === undefined) return 'upstream_failed_free';
  if (outcome !== 'completed') return 'aborted_partial';
  return usage.source === 'estimated' ? 'estimated' : 'completed';
}
