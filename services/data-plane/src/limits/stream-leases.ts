import type { Limiter, StreamLease } from '@model-gateway/limits';
import type { Logger } from '@model-gateway/service-kit';

/** Three times within the life of a lease. */
const HEARTBEAT_MS = 10_000;

/** The places that running streams hold: kept by heartbeats, freed at once when a stream ends. */
export class StreamLeases {
  readonly #limiter: Limiter;
  readonly #log: Logger;
  readonly #leases = new Set<StreamLease>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limiter: Limiter, log: Logger) {
    this.#limiter = limiter;
    this.#log = log;
  }

  start(): void {
    this.#timer = setInterval(() => {
      if (this.#leases.size === 0) return;
      this.#limiter.heartbeatStreams([...this.#leases]).catch((error: unknown) => this.#warn(error));
    }, HEARTBEAT_MS);
  }

  /** @returns a function that frees the place */
  hold(lease: StreamLease): () => void {
    this.#leases.add(lease);
    return () => {
      if (!this.#leases.delete(lease)) return;
      this.#limiter.releaseStream(lease).catch((error: unknown) => this.#warn(error));
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** A place that could not be freed ends by itself in 30 s. */
  #warn(error: unknown): void {
    this.#log.warn({ error }, 'cannot keep the places of streams up to date');
  }
}
