import { type Logger, type Registry, TallyCounter } from '@model-gateway/service-kit';

export type StoreOutcome =
  | 'kept'
  | 'too_large'
  | 'no_room'
  /** The account has reached its bound. */
  | 'owner_full'
  | 'redis_full'
  | 'redis_away';

export type ReadOutcome = 'found' | 'missing' | 'unreadable' | 'redis_away';

const NOT_STORED: Readonly<Record<Exclude<StoreOutcome, 'kept'>, string>> = {
  too_large: 'a response was not stored: it is too long',
  no_room: 'a response was not stored: this process has no memory for it',
  owner_full: 'a response was not stored: its account has reached the limit of stored bytes',
  redis_full: 'a response was not stored: Redis has little memory left',
  redis_away: 'a response was not stored: Redis does not respond',
};
const UNREADABLE =
  'a stored response cannot be decrypted: it was changed in Redis, or RESPONSES_STATE_KEY has changed';

/** Minimum interval between equal log lines. */
const LOG_INTERVAL_MS = 60_000;

/** Counts and logs what is stored and what is not. Callers get their response either way. */
export class StoredResponseReports {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #count: TallyCounter<readonly ['operation', 'outcome']>;
  readonly #loggedAtMs = new Map<string, number>();

  constructor(registry: Registry, log: Pick<Logger, 'warn'>) {
    this.#log = log;
    this.#count = new TallyCounter({
      registry,
      name: 'gateway_kept_responses_total',
      help: 'Responses of translated models that the gateway stored or read, by outcome.',
      labelNames: ['operation', 'outcome'],
    });
  }

  stored(outcome: StoreOutcome, requestId: string, error?: unknown): void {
    this.#count.labels('keep', outcome).inc();
    if (outcome !== 'kept')
      this.#warn(NOT_STORED[outcome], { request_id: requestId, error: messageOf(error) });
  }

  /** @param id of the response or of its item */
  read(outcome: ReadOutcome, id: string): void {
    this.#count.labels('read', outcome).inc();
    if (outcome === 'unreadable') this.#warn(UNREADABLE, { kept: id });
  }

  /** Logs each message at most once per LOG_INTERVAL_MS. */
  #warn(message: string, fields: object): void {
    const nowMs = performance.now();
    if (nowMs - (this.#loggedAtMs.get(message) ?? Number.NEGATIVE_INFINITY) < LOG_INTERVAL_MS) return;
    this.#loggedAtMs.set(message, nowMs);
    this.#log.warn(fields, message);
  }
}

function messageOf(error: unknown): string | undefined {
  return error instanceof Error ? error.message : undefined;
}
