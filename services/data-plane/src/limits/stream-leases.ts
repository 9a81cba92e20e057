import type { Limiter, StreamLease } from '@model-gateway/limits';
import { type Logger, StaggeredInterval } from '@model-gateway/service-kit';

/** Three heartbeats fit into the life of a lease. */
const HEARTBEAT_MS = 10_000;

/** The places that running streams hold: kept by heartbeats, and freed as soon as the stream ends. */
export class StreamLeases {
  readonly #limiter: Limiter;
  readonly #log: Logger;
  readonly #leases = new Set<StreamLease>();
  readonly #heartbeats: StaggeredInterval<StreamLease>;

  constructor(limiter: Limiter, log: Logger, heartbeatMs = HEARTBEAT_MS) {
    this.#limiter = limiter;
    this.#log = log;
    this.#heartbeats = new StaggeredInterval(heartbeatMs, (running) => void this.#beat(running));
  }

  start(): void {
    this.#heartbeats.start();
  }

  /** @returns a function that frees the place */
  hold(lease: StreamLease): () => void {
    this.#leases.add(lease);
    const endHeartbeats = this.#heartbeats.add(lease);
    return () => {
      endHeartbeats();
      if (this.#leases.delete(lease)) this.#release(lease);
    };
  }

  close(): void {
    this.#heartbeats.stop();
  }

  async #beat(running: readonly StreamLease[]): Promise<void> {
    await this.#limiter.heartbeatStreams(running).catch((error: unknown) => this.#warn(error));
    // A heartbeat that had to be sent twice may have taken a place again that was freed meanwhile.
    for (const lease of running) if (!this.#leases.has(lease)) this.#release(lease);
  }

  #release(lease: StreamLease): void {
    this.#limiter.releaseStream(lease).catch((error: unknown) => this.#warn(error));
  }

  /** If a place could not be freed, it ends by itself within 30 s. */
  #warn(error: unknown): void {
    this.#log.warn({ error }, 'cannot keep the places of streams up to date');
  }
}
