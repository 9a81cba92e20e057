/** How an attempt ended: only `failed` speaks against the provider; `cut` was ended by the gateway. */
export type AttemptOutcome = 'completed' | 'failed' | 'client_gone' | 'cut';

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
}

/** One request that has ended, as the control plane is told of it. */
export interface SettledRequest {
  requestId: string;
  modelId: string;
  /** In the order in which they were made, at least one; the last one decides how the request ended. */
  attempts: readonly SettledAttempt[];
}
