import { setTimeout as wait } from 'node:timers/promises';
import { type Logger, listeningMs } from '@model-gateway/service-kit';
import { SingleFlight } from '../database/single-flight.ts';
import type { StoredWatcher, WatcherStore } from './watcher-store.ts';

/** Longer than any lease: a data plane that has not acknowledged by then is unreachable or gone. */
const MAX_WAIT_MS = 4_000;
/** A read that is running at the deadline may take this much longer. */
const LAST_READ_MS = 500;
/** Polls too, because a notification can be lost with its connection. */
const RECHECK_MS = 100;

/** Stands for unknown data planes while the database cannot be read. */
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
   * Time of a clock that stops while this process is stalled, because an unread acknowledgement may be
   * waiting.
   */
  deadlineMs: number;
  resolve: (unconfirmed: string[]) => void;
}

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
   * Waits at most 4 s until every data plane that is not long gone has acknowledged `revision`.
   * @returns instances that have not. One whose lease has run out uses no cached key, but has not confirmed
   *   it
   */
  until(revision: bigint): Promise<string[]> {
    return new Promise((resolve) => {
      this.#waiting.add({ revision, deadlineMs: listeningMs() + MAX_WAIT_MS, resolve });
      this.#check.request();
      this.#timer ??= setInterval(() => this.wake(), RECHECK_MS);
    });
  }

  /** Call when a data plane may have acknowledged, here or elsewhere. */
  wake(): void {
    if (this.#waiting.size > 0) this.#check.request();
  }

  async #settle(): Promise<void> {
    // Copied: a revocation that joins during the read may be newer than it, so the next run handles it.
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

  /** Ends the read at the nearest deadline: without the database nothing is confirmed. */
  async #watchers(due: readonly Waiting[]): Promise<StoredWatcher[]> {
    const nearestMs = Math.min(...due.map(({ deadlineMs }) => deadlineMs));
    const decided = new AbortController();
    const expired = wait(Math.max(0, nearestMs + LAST_READ_MS - listeningMs()), [UNKNOWN_WATCHER], {
      signal: decided.signal,
    });
    const listed = this.#store.list().catch((error: unknown) => {
      if (listeningMs() < nearestMs) throw error;
      return [UNKNOWN_WATCHER];
    });
    try {
      return await Promise.race([listed, expired]);
    } finally {
      decided.abort();
      expired.catch(() => undefined);
    }
  }
}
