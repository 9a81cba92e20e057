import type { Tombstones } from '@model-gateway/limits';
import type { Logger } from '@model-gateway/service-kit';
import { SingleFlight } from '../database/single-flight.ts';
import type { KeyEventListStore } from './key-event-list-store.ts';

/**
 * How long a Redis may be without tombstones that it has lost, when no broken connection shows the loss
 * sooner.
 */
const CHECK_MS = 1_000;
/** How many revocations are read and written at a time. */
const PAGE_LENGTH = 1_000;

export interface TombstoneFeedOptions {
  keyEventListStore: Pick<KeyEventListStore, 'revocationsSince' | 'recordExpired'>;
  tombstones: Pick<Tombstones, 'append' | 'onConnect' | 'writtenUntil'>;
  log: Logger;
}

/**
 * Writes every revocation into Redis, and takes it away again when a suspension ends. Admissions see it there
 * at once, even those of a data plane that hears from no control plane. An expired key is written too: its
 * end may have been set while such a data plane heard nothing. The key events are the outbox: what could not
 * be written is written later, and a Redis that has lost some of them (its counter is gone, or below what was
 * written) gets those again.
 */
export class TombstoneFeed {
  readonly #options: TombstoneFeedOptions;
  readonly #runs: SingleFlight;
  /** The last revision that this process has written; undefined: none yet. */
  #writtenUntil: bigint | undefined;
  /** Expiries up to this time are recorded. The time is that of the database's clock. */
  #expiredUntil: Date | undefined;
  /** True until the next run begins, so that a run that is under way does not undo `forget`. */
  #isForgotten = false;
  #isUpToDate = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TombstoneFeedOptions) {
    this.#options = options;
    this.#runs = new SingleFlight(
      () => this.#write(),
      (error) => {
        this.#isUpToDate = false;
        options.log.warn({ error }, 'cannot write revocations into Redis, trying again');
      },
    );
  }

  start(): void {
    void this.#runs.request();
    // The new connection may lead to a replica that has taken over, or to a server that was started again.
    this.#options.tombstones.onConnect(() => void this.#runs.request());
    this.#timer = setInterval(() => void this.#runs.request(), CHECK_MS);
  }

  /** Starts anew: another database may hold revocations that were never written from here. */
  forget(): void {
    this.#isForgotten = true;
    void this.#runs.request();
  }

  /** @returns whether Redis now has every revocation that was committed before this call */
  async flush(): Promise<boolean> {
    await this.#runs.request();
    return this.#isUpToDate;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#runs.settled();
  }

  async #write(): Promise<void> {
    const { keyEventListStore, log, tombstones } = this.#options;
    if (this.#isForgotten) this.#writtenUntil = this.#expiredUntil = undefined;
    this.#isForgotten = false;
    this.#expiredUntil = await keyEventListStore.recordExpired(this.#expiredUntil);
    const there = await tombstones.writtenUntil();
    const written = this.#writtenUntil;
    if (written !== undefined && (there ?? -1n) < written) {
      log.warn({ written: String(written), there: String(there ?? 'none') }, 'Redis has lost revocations');
    }
    // After a start, this process does not know what an earlier one has written.
    let from = written === undefined || there === undefined ? undefined : written;
    if (from !== undefined && there !== undefined && there < from) from = there;
    for (;;) {
      const page = await keyEventListStore.revocationsSince(from ?? 0n, PAGE_LENGTH);
      if (page.length === 0 && from !== undefined) {
        // Another control plane has set the counter lower, because older revocations are forgotten. Taking
        // over its value prevents that this counts as a loss again.
        this.#writtenUntil = from;
        break;
      }
      // From here on, only what this run has written counts.
      this.#writtenUntil = from;
      if (!(await tombstones.append(page, from))) throw new Error('Redis has lost revocations meanwhile');
      from = page.at(-1)?.revision ?? from ?? 0n;
      this.#writtenUntil = from;
      if (page.length < PAGE_LENGTH) break;
    }
    this.#isUpToDate = true;
  }
}
