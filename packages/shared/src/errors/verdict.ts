/** The next attempt after a failure, while the caller has received nothing. */
export type Next =
  /** The same upstream with the next credential of its provider. */
  | 'credential'
  /** The same upstream at once, once, with a newly fetched credential. */
  | 'renewed'
  /** The next upstream of the model. */
  | 'upstream'
  /** The same upstream once more, where no other one is left. */
  | 'same'
  /** The next model of the request. */
  | 'model';

/** The meaning of a failure for retries, fallbacks, breakers, credentials, the log and the bill. */
export interface Verdict {
  /** The side that caused the failure. */
  readonly blame: 'provider' | 'credential' | 'request' | 'gateway' | 'client';
  /** The next attempts, in this order. Empty: none. */
  readonly next: readonly Next[];
  /**
   * The result for the circuit breaker of the provider. `failed` counts once per payer; no caller can cause
   * `failed_for_all`. Undefined: the provider is not to blame.
   */
  readonly breaker?: 'failed' | 'failed_for_all' | 'answered';
  /** The reason to rest the credential of the attempt. Undefined: none. */
  readonly credential?: 'refused' | 'refused_for_model' | 'not_fetched' | 'limited';
  /** The outcome in the log. It decides the bill as well. */
  readonly outcome: 'rejected' | 'failed' | 'cut' | 'client_gone';
  /** The outcome for the health of the provider. */
  readonly health: 'completed' | 'failed' | 'cut' | 'client_gone';
}
