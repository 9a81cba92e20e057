import { setTimeout as wait } from 'node:timers/promises';
import { type Logger, listeningMs } from '@model-gateway/service-kit';
import { SingleFlight } from '../database/single-flight.ts';
import type { StoredWatcher, WatcherStore } from './watcher-store.ts';

/**
 * This is longer than any lease. A data plane that has not acknowledged by then is out of reach or gone, and
 * waiting longer would tell nothing new.
 */
const MAX_WAIT_MS = 4_000;
/** How long after the deadline the last read of the watchers may end. */
const LAST_READ_MS = 500;
/** How often the watchers are read even without a notification, which may be lost with its connection. */
const RECHECK_MS = 100;

/** Stands for the data planes that may exist while the database cannot be read. */
const UNKNOWN_WATCHER: StoredWatcher = {
  instanceId: 'unknown',
  controlPlaneId: 'unknown',
  ackedRevision: -1n,
  live: true,
  gone: false,
};

interface Waiting {
  revision: bigint;
  /**
   * A time of the clock that stands still while this process is busy, because an acknowledgement may have
   * arrived that it has not read yet.
   */
  deadlineMs: number;
  resolve: (unconfirmed: string[]) => void;
}

/** Lets revocations wait for data planes. Each look costs one query, however many revocations wait. */
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
   * Waits, at most 4 s, until every data plane has acknowledged `revision`. It does not wait for those that
   * have been gone for long.
   * @returns the instances that have not acknowledged it. A data plane whose lease has run out uses nothing
   *   that it knew before (LapsedLease in the data plane), but it has not confirmed that.
   */
  until(revision: bigint): Promise<string[]> {
    return new Promise((resolve) => {
      this.#waiting.add({ revision, deadlineMs: listeningMs() + MAX_WAIT_MS, resolve });
      this.#check.request();
      this.#timer ??= setInterval(() => this.wake(), RECHECK_MS);
    });
  }

  /** To be called when a data plane may have acknowledged something, here or at another control plane. */
  wake(): void {
    if (this.#waiting.size > 0) this.#check.request();
  }

  async #settle(): Promise<void> {
    // This is a copy: a revocation that joins while the watchers are read may be newer than that read. The
    // next run, which its call has requested, deals with it.
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

  /**
   * Nothing can be confirmed without the database. So the read ends at the nearest deadline, and then an
   * unknown data plane counts as unconfirmed.
   */
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
