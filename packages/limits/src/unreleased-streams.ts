import { inBackground } from '@model-gateway/service-kit';
import { STREAM_LEASE_MS, type StreamLease } from './limiter.ts';

const RETRY_MS = 1_000;
/** Maximum remembered places. Others are freed when their leases end. */
const MAX_REMEMBERED = 20_000;
const AT_ONCE = 100;

export interface UnreleasedStreamsOptions {
  /** @throws when the place could not be freed */
  release: (lease: StreamLease) => Promise<void>;
  /** False while the store cannot free places of this hash tag. */
  isStoreReachable: (hashTag: string) => boolean;
}

/**
 * Remembers places of streams that ended while the store was unreachable, and frees them once it responds.
 * Otherwise they stay taken until their leases end, and a key with few places is refused.
 */
export class UnreleasedStreams {
  readonly #options: UnreleasedStreamsOptions;
  /** By request id, oldest first. */
  readonly #leases = new Map<string, { lease: StreamLease; endsAtMs: number }>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: UnreleasedStreamsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#leases.size;
  }

  remember(lease: StreamLease): void {
    if (this.#isClosed || this.#leases.size >= MAX_REMEMBERED) return;
    // A heartbeat that was under way may have renewed the lease until now.
    this.#leases.set(lease.requestId, { lease, endsAtMs: performance.now() + STREAM_LEASE_MS });
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#leases.clear();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isClosed || this.#leases.size === 0) return;
    this.#timer = setTimeout(() => {
      const retried = this.#retry().finally(() => {
        this.#timer = undefined;
        this.#schedule();
      });
      inBackground(retried);
    }, RETRY_MS);
    this.#timer.unref();
  }

  async #retry(): Promise<void> {
    const now = performance.now();
    for (const [requestId, { endsAtMs }] of this.#leases) {
      if (endsAtMs > now) break;
      this.#leases.delete(requestId);
    }
    for (;;) {
      const due = this.#reachable().slice(0, AT_ONCE);
      if (due.length === 0) return;
      const done = await Promise.all(due.map(({ lease }) => this.#free(lease)));
      if (done.includes(false)) return;
    }
  }

  #reachable() {
    return [...this.#leases.values()].filter(({ lease }) => this.#options.isStoreReachable(lease.hashTag));
  }

  async #free(lease: StreamLease): Promise<boolean> {
    try {
      await this.#options.release(lease);
      this.#leases.delete(lease.requestId);
      return true;
    } catch {
      return false;
    }
  }
}
