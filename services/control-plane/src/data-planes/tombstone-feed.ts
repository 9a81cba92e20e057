import type { Tombstones } from '@model-gateway/limits';
import type { Logger } from '@model-gateway/service-kit';
import { SingleFlight } from '../database/single-flight.ts';
import type { KeyEventListStore } from './key-event-list-store.ts';

/** How long a Redis may go without tombstones that it lost, where no broken connection told of it. */
const CHECK_MS = 1_000;
/** Read and written at a time, however many there are. */
const PAGE_LENGTH = 1_000;

export interface TombstoneFeedOptions {
  keyEventListStore: Pick<KeyEventListStore, 'revocationsSince' | 'recordExpired'>;
  tombstones: Pick<Tombstones, 'append' | 'onConnect' | 'writtenUntil'>;
  log: Logger;
}

/**
 * Writes every revocation into Redis, where admissions see it at once, even those of a data plane that hears
 * from no control plane, and takes it away again when a suspension ends. A key that expires is one of them:
 * its end may have been set while such a data plane heard nothing. The key events are its outbox: what could
 * not be written is written later; and a Redis that has lost some of them (its counter is below what was
 * written, or gone) gets those again.
 */
export class TombstoneFeed {
  readonly #options: TombstoneFeedOptions;
  readonly #runs: SingleFlight;
  /** By this process; undefined: nothing yet. */
  #writtenUntil: bigint | undefined;
  /** By the database's clock: which keys have expired is recorded up to then. */
  #expiredUntil: Date | undefined;
  /** Until the next run has begun, so that one that is under way does not write over it. */
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
    // Perhaps to a replica that has taken over, or to one that was started again.
    this.#options.tombstones.onConnect(() => void this.#runs.request());
    this.#timer = setInterval(() => void this.#runs.request(), CHECK_MS);
  }

  /** Another database, such as a restored one, may hold revocations that were never written from here. */
  forget(): void {
    this.#isForgotten = true;
    void this.#runs.request();
  }

  /** @returns whether every revocation that was committed before is in Redis now */
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
    // At first nobody knows what an earlier process has written.
    let from = written === undefined || there === undefined ? undefined : written;
    if (from !== undefined && there !== undefined && there < from) from = there;
    for (;;) {
      const page = await keyEventListStore.revocationsSince(from ?? 0n, PAGE_LENGTH);
      if (page.length === 0 && from !== undefined) {
        // A counter set lower by another control plane, which reads fewer old ones, is no loss twice.
        this.#writtenUntil = from;
        break;
      }
      // From now on only what this run has written counts.
      this.#writtenUntil = from;
      if (!(await tombstones.append(page, from))) throw new Error('Redis has lost revocations meanwhile');
      from = page.at(-1)?.revision ?? from ?? 0n;
      this.#writtenUntil = from;
      if (page.length < PAGE_LENGTH) break;
    }
    this.#isUpToDate = true;
  }
}
