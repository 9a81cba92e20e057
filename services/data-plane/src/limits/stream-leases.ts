import type { Limiter, StreamLease } from '@model-gateway/limits';
import { type Logger, StaggeredInterval } from '@model-gateway/service-kit';

/** A third of the lifetime of a lease. */
const HEARTBEAT_MS = 10_000;

interface HeldLease {
  lease: StreamLease;
  isFreed: boolean;
}

/**
 * Holds a slot of the stream limit for each running stream: renewed by heartbeats, freed when the stream
 * ends.
 */
export class StreamLeases {
  readonly #limiter: Limiter;
  readonly #log: Logger;
  readonly #heartbeats: StaggeredInterval<HeldLease>;

  constructor(limiter: Limiter, log: Logger, heartbeatMs = HEARTBEAT_MS) {
    this.#limiter = limiter;
    this.#log = log;
    this.#heartbeats = new StaggeredInterval(heartbeatMs, (running) => void this.#beat(running));
  }

  start(): void {
    this.#heartbeats.start();
  }

  /** @returns a function that frees the slot */
  hold(lease: StreamLease): () => void {
    const held = { lease, isFreed: false };
    const endHeartbeats = this.#heartbeats.add(held);
    return () => {
      if (!endHeartbeats()) return;
      held.isFreed = true;
      this.#release(lease);
    };
  }

  close(): void {
    this.#heartbeats.stop();
  }

  async #beat(running: readonly HeldLease[]): Promise<void> {
    const leases = running.map(({ lease }) => lease);
    await this.#limiter.heartbeatStreams(leases).catch((error: unknown) => this.#warn(error));
    // A repeated heartbeat may have taken a slot again that was freed meanwhile.
    for (const { isFreed, lease } of running) if (isFreed) this.#release(lease);
  }

  #release(lease: StreamLease): void {
    this.#limiter.releaseStream(lease).catch((error: unknown) => this.#warn(error));
  }

  /** Logs only: a slot that could not be freed expires within 30 s. */
  #warn(error: unknown): void {
    this.#log.warn({ error }, 'cannot renew or free the slots of streams');
  }
}
