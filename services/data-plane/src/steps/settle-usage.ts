import type { DataPlaneMetrics } from '../observability/data-plane-metrics.ts';
import type { Exchange, RequestRecord, TokenUsage } from '../request-record.ts';

/** Why a request costs what it costs (wire format, receipts). */
export type BillingReason = 'completed' | 'aborted_partial' | 'upstream_failed_free' | 'estimated';

/** What one request consumed. Free-tier models are recorded too, at no cost. */
export interface UsageRecord {
  requestId: string;
  accountId: string;
  keyId: string;
  modelId: string;
  providerId: string;
  usage: TokenUsage;
  billingReason: BillingReason;
}

export interface SettleContext {
  metrics: Pick<DataPlaneMetrics, 'tokens' | 'upstreamAttempts' | 'timeToFirstToken'>;
}

const NOTHING: TokenUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, source: 'provider' };

/** Records, exactly once per request that reached a provider, what it consumed. Whatever the exit, this runs. */
export function settleUsage(context: SettleContext, exchange: Exchange): void {
  const { record } = exchange;
  if (record.attempt === undefined) return;
  const provider = record.attempt.providerId;
  context.metrics.upstreamAttempts.inc({ provider, outcome: record.outcome ?? 'failed' });
  if (record.streamed && record.attempt.firstByteAtMs !== undefined) {
    const seconds = (record.attempt.firstByteAtMs - record.startedAtMs) / 1_000;
    context.metrics.timeToFirstToken.observe({ provider }, seconds);
  }
  const settled = usageRecord(record);
  if (settled === undefined) return;
  context.metrics.tokens.inc({ provider, kind: 'input' }, settled.usage.inputTokens);
  context.metrics.tokens.inc({ provider, kind: 'cached_input' }, settled.usage.cachedInputTokens);
  context.metrics.tokens.inc({ provider, kind: 'output' }, settled.usage.outputTokens);
}

/** @returns undefined when the request was never admitted to a provider */
function usageRecord(record: RequestRecord): UsageRecord | undefined {
  const { attempt, key, model } = record;
  if (attempt === undefined || key === undefined || model === undefined) return undefined;
  return {
    requestId: record.id,
    accountId: key.accountId,
    keyId: key.keyId,
    modelId: model.id,
    providerId: attempt.providerId,
    usage: record.usage ?? NOTHING,
    billingReason: billingReason(record),
  };
}

function billingReason({ outcome, usage }: RequestRecord): BillingReason {
  if (usage === undefined) return 'upstream_failed_free';
  if (outcome !== 'completed') return 'aborted_partial';
  return usage.source === 'provider' ? 'completed' : 'estimated';
}
