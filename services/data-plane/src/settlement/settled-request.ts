import type { Capability, Units } from '@model-gateway/shared';
import type { Payer } from '../billing/payer-allowance.ts';
import type { UsageSource } from '../metering/usage.ts';

/** How an attempt ended: only `failed` speaks against the provider; `cut` was ended by the gateway. */
export type AttemptOutcome = 'completed' | 'failed' | 'client_gone' | 'cut';

/** Why a request costs what it costs (docs/wire-format.md, "What is billed"). */
export type BillingReason = 'completed' | 'aborted_partial' | 'upstream_failed_free' | 'estimated';

/** One attempt at a provider that has ended. */
export interface SettledAttempt {
  providerId: string;
  outcome: AttemptOutcome;
  /** From the start of the attempt to its end. */
  latencyMs: number;
  /** From the start of the attempt to the first streamed token; absent for answers that are not streamed. */
  timeToFirstTokenMs?: number;
  /** Unix milliseconds. */
  endedAtMs: number;
  /** Absent: the provider did not answer. */
  httpStatus?: number;
  /** Of one that failed. */
  errorCode?: string;
  /** Of `client_gone` before the first byte: how long the provider had said nothing. */
  silentMs?: number;
  /** The caller waited for a first event, not for a whole answer. */
  streamed: boolean;
}

/** One request that has ended, as the control plane is told of it. */
export interface SettledRequest {
  requestId: string;
  modelId: string;
  capability: Capability;
  payer: Payer;
  keyId: string;
  /** Absent: free of charge. */
  priceVersion?: number;
  /** Absent: nothing was consumed. */
  units?: Units;
  /** Empty without units. */
  usageSource: UsageSource | '';
  billingReason: BillingReason;
  /** Nano-USD that were set aside for it, and in which allowance. */
  held: bigint;
  allowanceId?: string;
  /** What the caller was answered; 499: it had left before that. Absent while the request runs. */
  clientStatus?: number;
  /** Of that answer, or of the event that ended a stream. */
  clientErrorCode?: string;
  /** In the order in which they were made, at least one; the last one decides how the request ended. */
  attempts: readonly SettledAttempt[];
}
