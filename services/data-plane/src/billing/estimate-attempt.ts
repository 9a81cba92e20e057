import type { PricedModel, Usage } from '@model-gateway/dialects';
import { addUnits, NO_UNITS, type Units, type Verdict } from '@model-gateway/shared';
import { providerCostOf } from './cost-of-usage.ts';

/** Error codes of requests that a provider refuses before it works, also within a response. */
const REFUSALS: ReadonlySet<unknown> = new Set([
  'upstream_rejected',
  'context_length_exceeded',
  'not_found',
  'previous_response_not_found',
]);

/** The members of an `UpstreamAttempt` that decide, and the result. */
interface EstimatedAttempt {
  httpStatus?: number;
  errorCode?: string;
  verdict?: Verdict;
  cutOffAfterMs?: number;
  estimatedUnits?: Units;
  estimatedCost?: number;
}

export interface FailedAttempt {
  attempt: EstimatedAttempt;
  /** True once the provider was sent the whole request. */
  isSent: boolean;
  /** Time since the request was sent, without pauses. */
  ms: number;
}

/** Estimates the usage of a call of which nothing is charged. @param ms since its request was sent */
export interface UnusedCall {
  /** For streams; absent: as for a response that is cut off unread. */
  estimateUnused?: ((ms: number) => Usage) | undefined;
  estimateUnread?: ((ms: number) => Usage | Promise<Usage>) | undefined;
}

/**
 * Sets `estimatedUnits` and `estimatedCost` of a failed attempt if its provider may bill it (docs/billing.md,
 * "Attempts whose responses were not used"). Never throws: that would hide the failure of the attempt.
 * @param call its state is still that of this attempt
 * @returns undefined if nothing has to be measured first
 */
export function estimateAttempt(
  call: UnusedCall,
  { attempt, isSent, ms }: FailedAttempt,
  model: PricedModel | undefined,
): Promise<void> | undefined {
  // A response that its caller left unread is charged by the same estimate.
  const estimateUnread = attempt.cutOffAfterMs === undefined ? call.estimateUnread : undefined;
  const estimate = call.estimateUnused ?? estimateUnread;
  if (estimate === undefined || model === undefined || !mayBeBilled(attempt, isSent)) return undefined;
  const set = (usage: Usage) => {
    attempt.estimatedUnits =
      usage.parts === undefined
        ? usage
        : usage.parts.reduce((sum, { units }) => addUnits(sum, units), NO_UNITS);
    const cost = Number(providerCostOf(usage, model));
    if (cost > 0) attempt.estimatedCost = cost;
  };
  try {
    const usage = estimate(ms);
    if (usage instanceof Promise) return usage.then(set, () => undefined);
    set(usage);
  } catch {
    return undefined;
  }
  return undefined;
}

/** Returns false if the provider has refused the request, or has not received it. */
function mayBeBilled({ errorCode, httpStatus, verdict }: EstimatedAttempt, isSent: boolean): boolean {
  if (httpStatus === undefined) return isSent;
  return httpStatus === 200 && verdict?.credential === undefined && !REFUSALS.has(errorCode);
}

/** Returns why a response was not used. `cut`: the gateway or the caller ended it. */
export function unusedReason({
  errorCode,
  outcome,
}: {
  errorCode?: string | undefined;
  outcome: string;
}): 'timeout' | 'cut' | 'failed' {
  if (errorCode === 'upstream_timeout') return 'timeout';
  return outcome === 'cut' || outcome === 'client_gone' ? 'cut' : 'failed';
}
