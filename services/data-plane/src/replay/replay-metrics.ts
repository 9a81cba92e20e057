import { type Logger, type Registry, TallyCounter } from '@model-gateway/service-kit';

/** Outcome of a request with an Idempotency-Key. */
export type KeyedOutcome =
  | 'first'
  /** The process of the first request died, and this one continues. */
  | 'continued'
  | 'replayed'
  /** The rules do not allow the model or the provider of the answer. */
  | 'forbidden'
  | 'in_progress'
  | 'mismatch'
  | 'spent'
  | 'account_full'
  | 'unavailable';

/** Outcome of storing an answer. */
export type StoredOutcome = 'stored' | 'freed' | 'failed' | 'too_long' | 'no_room' | 'redis_away';

const LOG_INTERVAL_MS = 60_000;

/** Counts repeated requests, and logs, at most once a minute, that Redis does not store answers. */
export class ReplayMetrics {
  readonly keyed: TallyCounter<readonly ['outcome']>;
  /** By what the answers are for: `idempotency` or `cache`. */
  readonly stored: TallyCounter<readonly ['for', 'outcome']>;
  readonly cached: TallyCounter<readonly ['outcome']>;
  readonly #log: Pick<Logger, 'warn'>;
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  constructor(registry: Registry, log: Pick<Logger, 'warn'>) {
    this.#log = log;
    this.keyed = new TallyCounter({
      registry,
      name: 'gateway_idempotent_requests_total',
      help: 'Requests with an Idempotency-Key, by outcome.',
      labelNames: ['outcome'],
    });
    this.stored = new TallyCounter({
      registry,
      name: 'gateway_stored_answers_total',
      help: 'Answers to be sent again, by what they are for and by outcome.',
      labelNames: ['for', 'outcome'],
    });
    this.cached = new TallyCounter({
      registry,
      name: 'gateway_cached_requests_total',
      help: 'Requests that asked for the cache, by outcome.',
      labelNames: ['outcome'],
    });
  }

  redisAway(error: unknown, requestId: string): void {
    const nowMs = performance.now();
    if (nowMs - this.#loggedAtMs < LOG_INTERVAL_MS) return;
    this.#loggedAtMs = nowMs;
    const message = error instanceof Error ? error.message : undefined;
    this.#log.warn(
      { request_id: requestId, error: message },
      'Redis does not respond: an answer is not stored',
    );
  }
}
