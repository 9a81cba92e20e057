import type { KeyOwnerMessage } from '@model-gateway/contracts';
import type { UsageSource } from '@model-gateway/dialects';
import type { Capability, Units } from '@model-gateway/shared';

/** How an attempt ended. Only `failed` counts against the provider; `cut`: the gateway has ended it. */
export type AttemptOutcome = 'completed' | 'failed' | 'client_gone' | 'cut';

/** Why a request costs what it costs (docs/billing.md, "What is charged"). */
export type BillingReason = 'completed' | 'aborted_partial' | 'upstream_failed_free' | 'estimated';

/** An ended attempt at a provider. */
export interface SettledAttempt {
  providerId: string;
  /** The model that was asked; absent: that of the request. */
  modelId?: string;
  outcome: AttemptOutcome;
  /** From the start of the attempt to its end. */
  latencyMs: number;
  /** From the start of the attempt to the first streamed token; absent for answers that are not streamed. */
  timeToFirstTokenMs?: number;
  /** Unix milliseconds. */
  endedAtMs: number;
  /** Absent if the provider did not answer. */
  httpStatus?: number;
  errorCode?: string;
  /** For `client_gone` before the first byte: how long the provider had been silent. */
  silentMs?: number;
  /** True if the caller waited for a first event, and not for a whole answer. */
  streamed: boolean;
  /** The variable that holds the credential it was made with. */
  credentialEnv?: string;
}

/** Units of a request that one model used. */
export interface SettledPart {
  modelId: string;
  /** Absent if the model is free of charge. */
  priceVersion?: number;
  units: Units;
}

/** An ended request, as the control plane is told of it. */
export interface SettledRequest {
  requestId: string;
  modelId: string;
  capability: Capability;
  owner: KeyOwnerMessage;
  keyId: string;
  /** Absent if the request is free of charge. */
  priceVersion?: number;
  /** Absent if nothing was consumed; of all parts together, if there are any. */
  units?: Units;
  /** Usage of each model, if several have answered. */
  parts?: readonly SettledPart[];
  /** Empty without units. */
  usageSource: UsageSource | '';
  billingReason: BillingReason;
  /** The nano-USD that were set aside for it, and in which allowance. */
  held: bigint;
  allowanceId?: string;
  /** The status that the caller got; 499: the caller had left before. Absent while the request runs. */
  clientStatus?: number;
  /** The error code of that answer, or of the event that ended a stream. */
  clientErrorCode?: string;
  /** Unix milliseconds. */
  endedAtMs: number;
  /** In the order in which they were made; empty if no provider was asked. */
  attempts: readonly SettledAttempt[];
}
