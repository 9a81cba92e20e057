/** Who is asked after a failure, as long as the caller has had nothing of an answer. */
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

/** What a failure means for retries, fallbacks, breakers, credentials, the log and the bill. */
export interface Verdict {
  /** Whose fault it is. `gateway`: nobody's outside of it. */
  readonly blame: 'provider' | 'credential' | 'request' | 'gateway' | 'client';
  /** Who is asked next, in this order. Empty: nobody. */
  readonly next: readonly Next[];
  /** What the circuit breaker of the provider counts. Undefined: nothing, as nothing was learnt of it. */
  readonly breaker?: 'failed' | 'answered';
  /** Why the credential of the attempt rests. Undefined: it does not. */
  readonly credential?: 'refused' | 'refused_for_model' | 'not_fetched' | 'limited';
  /** How the attempt, or the request that ends so, is logged. It decides the bill as well. */
  readonly outcome: 'rejected' | 'failed' | 'cut' | 'client_gone';
  /** How the attempt counts for the health of its provider. */
  readonly health: 'completed' | 'failed' | 'cut' | 'client_gone';
}
