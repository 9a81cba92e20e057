import type { Logger } from '@model-gateway/service-kit';
import { SingleFlight } from '../database/single-flight.ts';
import type { StoredWatcher, WatcherStore } from './watcher-store.ts';

/** Longer than any lease: what is open after it neither acknowledges nor stops renewing. */
const MAX_WAIT_MS = 4_000;
/** Leases run out without a notification. */
const RECHECK_MS = 100;

interface Waiting {
  revision: bigint;
  deadlineMs: number;
  resolve: (unconfirmed: string[]) => void;
}

/** Revocations that wait for data planes. However many there are, each wake-up costs one query. */
export class WatcherWait {
  readonly #store: WatcherStore;
  readonly #check: SingleFlight;
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: WatcherStore, log: Logger) {
    this.#store = store;
    this.#check = new SingleFlight(
      () => this.#settle(),
      (error) => log.warn({ error }, 'cannot read the acknowledgements of data planes'),
    );
  }

  /**
   * Waits until no data plane may still act on what it knew before `revision`.
   * @returns the instances of which that is not known after 4 s
   */
  until(revision: bigint): Promise<string[]> {
    return new Promise((resolve) => {
      this.#waiting.add({ revision, deadlineMs: performance.now() + MAX_WAIT_MS, resolve });
      this.#check.request();
      this.#timer ??= setInterval(() => this.wake(), RECHECK_MS);
    });
  }

  /** Something may have been acknowledged, here or at another control plane. */
  wake(): void {
    if (this.#waiting.size > 0) this.#check.request();
  }

  async #settle(): Promise<void> {
    const watchers = await this.#watchers();
    for (const waiting of [...this.#waiting]) {
      const open = watchers.filter(({ live, ackedRevision }) => live && ackedRevision < waiting.revision);
      if (open.length > 0 && performance.now() < waiting.deadlineMs) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(open.map(({ instanceId }) => instanceId));
    }
    if (this.#waiting.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  /** Without the database nothing can be confirmed; the deadline then decides. */
  async #watchers(): Promise<StoredWatcher[]> {
    try {
      return await this.#store.list();
    } catch (error) {
      const expired = [...this.#waiting].some(({ deadlineMs }) => performance.now() >= deadlineMs);
      if (!expired) throw error;
      return [{ instanceId: 'unknown', controlPlaneId: 'unknown', ackedRevision: -1n, live: true }];
    }
  }
}
