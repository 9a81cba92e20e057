import type { Tombstones } from '@model-gateway/limits';
import type { Logger } from '@model-gateway/service-kit';
import { SingleFlight } from '../database/single-flight.ts';
import type { KeyEventListStore } from './key-event-list-store.ts';

/** Lost tombstones are written again after this time when no broken connection reveals their loss earlier. */
const CHECK_MS = 1_000;
const PAGE_LENGTH = 1_000;

export interface TombstoneFeedOptions {
  keyEventListStore: Pick<KeyEventListStore, 'revocationsSince' | 'recordExpired'>;
  tombstones: Pick<Tombstones, 'append' | 'onConnect' | 'writtenUntil'>;
  log: Logger;
}

/**
 * Writes every revocation and expiry to Redis, and removes it when a suspension ends, so that admissions see
 * it even where a data plane hears no control plane. Key events are the outbox: failed writes are retried,
 * and lost ones (a counter that is missing or too low) are written again.
 */
export class TombstoneFeed {
  readonly #options: TombstoneFeedOptions;
  readonly #runs: SingleFlight;
  /** Last revision written by this process. */
  #writtenUntil: bigint | undefined;
  /** Expiries up to this time (database clock) are recorded. */
  #expiredUntil: Date | undefined;
  /** True until the next run begins, so that a run in progress does not undo `forget`. */
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
    this.#runs.request();
    // A new connection may lead to a promoted replica or a restarted server.
    this.#options.tombstones.onConnect(() => this.#runs.request());
    this.#timer = setInterval(() => this.#runs.request(), CHECK_MS);
  }

  /** Starts anew: another database may hold revocations not written yet. */
  forget(): void {
    this.#isForgotten = true;
    this.#runs.request();
  }

  /** @returns true when Redis has every revocation committed before this call */
  async flush(): Promise<boolean> {
    await this.#runs.requestAndWait();
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
    const stored = await tombstones.writtenUntil();
    const written = this.#writtenUntil;
    if (written !== undefined && (stored ?? -1n) < written) {
      log.warn({ written: String(written), there: String(stored ?? 'none') }, 'Redis has lost revocations');
    }
    // After a start, earlier writes are unknown.
    let from = written === undefined || stored === undefined ? undefined : written;
    if (from !== undefined && stored !== undefined && stored < from) from = stored;
    for (;;) {
      const page = await keyEventListStore.revocationsSince(from ?? 0n, PAGE_LENGTH);
      if (page.length === 0 && from !== undefined) {
        // Another control plane lowered the counter, because old revocations are forgotten. Adopt it, so that
        // it does not count as a loss again.
        this.#writtenUntil = from;
        break;
      }
      // From here on, only this run's writes count.
      this.#writtenUntil = from;
      if (!(await tombstones.append(page, from))) throw new Error('Redis has lost revocations meanwhile');
      from = page.at(-1)?.revision ?? from ?? 0n;
      this.#writtenUntil = from;
      if (page.length < PAGE_LENGTH) break;
    }
    this.#isUpToDate = true;
  }
}
