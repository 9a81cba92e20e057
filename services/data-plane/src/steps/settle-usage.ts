import type { Usage } from '@model-gateway/dialects';
import type { Limiter } from '@model-gateway/limits';
import { costInHold } from '../billing/cost-of-usage.ts';
import { unusedReason } from '../billing/estimate-attempt.ts';
import { type DataPlaneMetrics, TOKEN_KINDS } from '../observability/data-plane-metrics.ts';
import type { UnpricedUsage } from '../observability/unpriced-usage.ts';
import { type Charge, isStreamed, modelOf, type RequestRecord } from '../request-record.ts';
import { type FollowedResponse, withFollowed } from '../settlement/followed-response.ts';
import type { HeldRequests } from '../settlement/held-requests.ts';
import type { SettledRequest } from '../settlement/settled-request.ts';
import { settledRequestOf } from '../settlement/settled-request-of.ts';
import type { SettlementStream } from '../settlement/settlement-stream.ts';
import { type OperationMetrics, recordOperations } from '../tracing/record-operations.ts';
import { overheadUntil } from '../upstream/overhead.ts';

export interface SettleContext {
  heldRequests: Pick<HeldRequests, 'release'>;
  limiter: Pick<Limiter, 'correctTokens'>;
  settlement: Pick<SettlementStream, 'record'>;
  unpricedUsage: Pick<UnpricedUsage, 'count'>;
  reasoningModels: Pick<Set<string>, 'add'>;
  /** Undefined: metrics are not exported. */
  operationMetrics: OperationMetrics | undefined;
  metrics: Pick<
    DataPlaneMetrics,
    | 'tokens'
    | 'cost'
    | 'unusedAttemptsCost'
    | 'overhead'
    | 'upstreamAttempts'
    | 'upstreamSilence'
    | 'timeToFirstToken'
  >;
}

/**
 * Settles a request exactly once, however it ended: reports its usage, releases the rest of its hold, and
 * corrects its tokens in rate limits. Sets `record.charge`, `costNanoUsd` and `settled`.
 * @param handedOver a response that another data plane is to follow; the charge is then provisional
 */
export function settleUsage(
  context: SettleContext,
  record: RequestRecord,
  charge: Charge,
  handedOver?: FollowedResponse,
): void {
  const { hold } = record;
  const { usage } = charge;
  const model = modelOf(record);
  record.charge = charge;
  const hasUsage = model !== undefined && usage !== undefined;
  record.costNanoUsd = hasUsage ? costInHold(usage, model, hold) : 0n;
  if (hasUsage) context.unpricedUsage.count(usage, model);
  if (hasUsage && usage.reasoningTokens > 0) context.reasoningModels.add(model.id);
  const settled = settledRequestOf(record, charge);
  if (settled !== undefined) {
    const report = handedOver === undefined ? settled : withFollowed(settled, handedOver);
    record.settled = context.settlement.record(report, hold?.allowance);
    if (record.trace !== undefined) record.trace.settledAtMs = performance.now();
    countUnused(context.metrics, report);
  }
  context.heldRequests.release(record, record.costNanoUsd);
  // A response that is handed over counts with its estimate.
  if (record.tokens !== undefined && handedOver === undefined)
    context.limiter.correctTokens(record.tokens, tokensOf(usage));
  count(context.metrics, record, usage);
  if (context.operationMetrics !== undefined) recordOperations(context.operationMetrics, record, usage);
}

/** Returns input and output tokens of all models that a request used. */
function tokensOf(usage: Usage | undefined): number {
  if (usage === undefined) return 0;
  const parts = usage.parts?.map(({ units }) => units) ?? [usage];
  return parts.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
}

function countUnused({ unusedAttemptsCost }: SettleContext['metrics'], { attempts }: SettledRequest): void {
  for (const attempt of attempts) {
    const { estimatedCost, providerId } = attempt;
    if (estimatedCost !== undefined)
      unusedAttemptsCost.labels(providerId, unusedReason(attempt)).inc(estimatedCost / 1e9);
  }
}

function count(metrics: SettleContext['metrics'], record: RequestRecord, usage: Usage | undefined): void {
  for (const attempt of record.attempts) {
    const { errorCode = '', outcome = 'failed', providerId: provider, silentMs, verdict } = attempt;
    const error = verdict?.blame === 'credential' ? 'credential' : errorCode;
    metrics.upstreamAttempts.labels(provider, outcome, error).inc();
    if (silentMs !== undefined) metrics.upstreamSilence.labels(provider).observe(silentMs / 1_000);
  }
  const last = record.attempts.at(-1);
  // Empty without an attempt.
  const provider = last?.providerId ?? '';
  if (last?.firstByteAtMs !== undefined) {
    metrics.overhead.labels().observe(overheadUntil(record, last.firstByteAtMs) / 1_000);
    if (isStreamed(record)) {
      metrics.timeToFirstToken.labels(provider).observe((last.firstByteAtMs - record.startedAtMs) / 1_000);
    }
  }
  const { costNanoUsd = 0n } = record;
  if (usage === undefined) return;
  for (const { unit, kind } of TOKEN_KINDS) {
    // Skip the lookup for the many kinds that are usually zero.
    if (usage[unit] !== 0) metrics.tokens.labels(provider, kind).inc(usage[unit]);
  }
  metrics.cost.labels(provider).inc(Number(costNanoUsd) / 1e9);
}
