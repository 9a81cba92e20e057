import type { Limiter, StreamLease } from '@model-gateway/limits';
import type { Logger } from '@model-gateway/service-kit';

/** Three times within the life of a lease. */
const HEARTBEAT_MS = 10_000;

/** The places that running streams hold: kept by heartbeats, freed at once when a stream ends. */
export class StreamLeases {
  readonly #limiter: Limiter;
  readonly #log: Logger;
  readonly #heartbeatMs: number;
  readonly #leases = new Set<StreamLease>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limiter: Limiter, log: Logger, heartbeatMs = HEARTBEAT_MS) {
    this.#limiter = limiter;
    this.#log = log;
    this.#heartbeatMs = heartbeatMs;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#beat(), this.#heartbeatMs);
  }

  /** @returns a function that frees the place */
  hold(lease: StreamLease): () => void {
    this.#leases.add(lease);
    return () => {
      if (this.#leases.delete(lease)) this.#release(lease);
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #beat(): Promise<void> {
    const running = [...this.#leases];
    if (running.length === 0) return;
    await this.#limiter.heartbeatStreams(running).catch((error: unknown) => this.#warn(error));
    // A heartbeat that had to be sent twice may have taken again what was freed in between.
    for (const lease of running) if (!this.#leases.has(lease)) this.#release(lease);
  }

  #release(lease: StreamLease): void {
    this.#limiter.releaseStream(lease).catch((error: unknown) => this.#warn(error));
  }

  /** A place that could not be freed ends by itself in 30 s. */
  #warn(error: unknown): void {
    this.#log.warn({ error }, 'cannot keep the places of streams up to date');
  }
}
