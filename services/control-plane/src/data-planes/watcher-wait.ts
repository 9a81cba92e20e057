import { setTimeout as wait } from 'node:timers/promises';
import { type Logger, listeningMs } from '@model-gateway/service-kit';
import { SingleFlight } from '../database/single-flight.ts';
import type { StoredWatcher, WatcherStore } from './watcher-store.ts';

/** Longer than any lease: who has not acknowledged by then is out of reach, or gone. */
const MAX_WAIT_MS = 4_000;
/** What the last reading of the watchers may take beyond the deadline. */
const LAST_READ_MS = 500;
/** How often the watchers are read without a notification, which is lost when its connection breaks. */
const RECHECK_MS = 100;

/** Stands for whoever may be there while nobody can be asked. */
const UNKNOWN_WATCHER: StoredWatcher = {
  instanceId: 'unknown',
  controlPlaneId: 'unknown',
  ackedRevision: -1n,
  live: true,
  gone: false,
};

interface Waiting {
  revision: bigint;
  /** By the clock that stands still while this process is behind: an acknowledgement may lie unread. */
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
   * Waits, at most 4 s, until every data plane has acknowledged `revision`; not for those that have been gone
   * for long.
   * @returns the instances that have not acknowledged it. One whose lease has run out acts on nothing that it
   * knew before it (LapsedLease in the data plane), but nobody has heard that from it.
   */
  until(revision: bigint): Promise<string[]> {
    return new Promise((resolve) => {
      this.#waiting.add({ revision, deadlineMs: listeningMs() + MAX_WAIT_MS, resolve });
      this.#check.request();
      this.#timer ??= setInterval(() => this.wake(), RECHECK_MS);
    });
  }

  /** Something may have been acknowledged, here or at another control plane. */
  wake(): void {
    if (this.#waiting.size > 0) this.#check.request();
  }

  async #settle(): Promise<void> {
    // What joins while the watchers are read may be newer than what is read: it is left to the next run.
    const due = [...this.#waiting];
    if (due.length === 0) return;
    const watchers = await this.#watchers(due);
    for (const waiting of due) {
      const open = watchers.filter(({ ackedRevision }) => ackedRevision < waiting.revision);
      if (open.some(({ gone }) => !gone) && listeningMs() < waiting.deadlineMs) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(open.map(({ instanceId }) => instanceId));
    }
    if (this.#waiting.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  /** Without the database nothing can be confirmed; the nearest deadline then decides. */
  async #watchers(due: readonly Waiting[]): Promise<StoredWatcher[]> {
    const nearestMs = Math.min(...due.map(({ deadlineMs }) => deadlineMs));
    const given = new AbortController();
    const expired = wait(Math.max(0, nearestMs + LAST_READ_MS - listeningMs()), [UNKNOWN_WATCHER], {
      signal: given.signal,
    });
    const listed = this.#store.list().catch((error: unknown) => {
      if (listeningMs() < nearestMs) throw error;
      return [UNKNOWN_WATCHER];
    });
    try {
      return await Promise.race([listed, expired]);
    } finally {
      given.abort();
      expired.catch(() => undefined);
    }
  }
}
