import type { UsageSource } from '@model-gateway/dialects';
import type { Capability, Units } from '@model-gateway/shared';
import type { Affinity } from '../request-record.ts';

/** How an attempt ended. Only `failed` counts against the provider; `cut`: ended by the gateway. */
export type AttemptOutcome = 'completed' | 'failed' | 'client_gone' | 'cut';

/** Why a request costs what it costs (docs/billing.md, "What is charged"). */
export type BillingReason =
  | 'completed'
  | 'aborted_partial'
  | 'upstream_failed_free'
  | 'estimated'
  | 'cache_hit';

export interface SettledAttempt {
  providerId: string;
  /** Absent if it is the model of the request. */
  modelId?: string | undefined;
  outcome: AttemptOutcome;
  latencyMs: number;
  /** From the start of the attempt to the first streamed token; absent for answers that are not streamed. */
  timeToFirstTokenMs?: number | undefined;
  /** Unix milliseconds. */
  endedAtMs: number;
  httpStatus?: number | undefined;
  errorCode?: string | undefined;
  /** For `client_gone` before the first byte: the provider's silence. */
  silentMs?: number | undefined;
  /** True if the caller waited for a first event, not for the whole response. */
  streamed: boolean;
  credentialEnv?: string | undefined;
  /** Describes what the provider did, for the caller. */
  error?: string | undefined;
  /** Describes it for the operator, if that says more. */
  operatorError?: string | undefined;
  /** What the provider may bill for a response that was not used. */
  estimatedUnits?: Units | undefined;
  /** Its cost in nano-USD, at most MAX_COST. Nobody is charged for it. */
  estimatedCost?: number | undefined;
  providerRequestId?: string | undefined;
}

export interface SettledPart {
  modelId: string;
  /** Absent if the model is free of charge. */
  priceVersion?: number | undefined;
  units: Units;
}

/** An ended request, as reported to the control plane. */
export interface SettledRequest {
  requestId: string;
  modelId: string;
  capability: Capability;
  owner: { accountId: string; seatId?: string | undefined; teamId?: string | undefined };
  keyId: string;
  /** Absent if the request is free of charge. */
  priceVersion?: number | undefined;
  /** Absent if it is charged at the prices of the catalog. */
  priceListVersion?: number | undefined;
  /** Tier that the provider used; absent: its standard one. */
  serviceTier?: string | undefined;
  /** Absent if nothing was used; the sum of all parts. */
  units?: Units | undefined;
  /** Usage of each model, if several have answered. */
  parts?: readonly SettledPart[] | undefined;
  /** Empty without units. */
  usageSource: UsageSource | '';
  billingReason: BillingReason;
  held: bigint;
  allowanceId?: string | undefined;
  /** Status that the caller got; 499 if it left before. Absent while the request runs. */
  clientStatus?: number | undefined;
  /** Error code of that response, or of the event that ended a stream. */
  clientErrorCode?: string | undefined;
  /** Values by name; absent: none. */
  tags?: Readonly<Record<string, string>> | undefined;
  endUser?: string | undefined;
  session?: string | undefined;
  affinity?: Affinity | undefined;
  /** As in `RequestRecord`. */
  budgets?: readonly string[] | undefined;
  /** Unix milliseconds. */
  endedAtMs: number;
  /** A count did not fit and was clamped: costs at most `held`. */
  isClamped?: true | undefined;
  /** How another data plane can follow the response (`withFollowed`). */
  followed?: string | undefined;
  /** Names the request's span. Absent: the trace is not sampled. */
  traceparent?: string | undefined;
  /** In the order in which they were made; empty if no provider was asked. */
  attempts: readonly SettledAttempt[];
}
