import type { Tombstones } from '@model-gateway/limits';
import type { Logger } from '@model-gateway/service-kit';
import { SingleFlight } from '../database/single-flight.ts';
import type { KeyStore } from './key-store.ts';

const CHECK_MS = 5_000;

export interface TombstoneFeedOptions {
  keyStore: Pick<KeyStore, 'revocationsSince'>;
  tombstones: Tombstones;
  log: Logger;
}

/**
 * Writes every revocation into Redis, where admissions see it at once, even those of a data plane that hears from
 * no control plane. The key events are its outbox: what could not be written is written later; and a Redis that has
 * lost its data (its marker is gone) gets all of them again.
 */
export class TombstoneFeed {
  readonly #options: TombstoneFeedOptions;
  readonly #runs: SingleFlight;
  #writtenUntil = 0n;
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
    this.#timer = setInterval(() => void this.#runs.request(), CHECK_MS);
  }

  /** Another database, such as a restored one, may hold revocations that were never written from here. */
  forget(): void {
    this.#writtenUntil = 0n;
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
    const { keyStore, tombstones } = this.#options;
    // At first nobody knows what an earlier process has written.
    if (this.#writtenUntil === 0n || !(await tombstones.hasMarker())) {
      const all = await keyStore.revocationsSince(0n);
      this.#isUpToDate = await tombstones.restore(all);
      if (this.#isUpToDate) this.#writtenUntil = all.at(-1)?.revision ?? this.#writtenUntil;
      return;
    }
    for (const tombstone of await keyStore.revocationsSince(this.#writtenUntil)) {
      await tombstones.write(tombstone);
      this.#writtenUntil = tombstone.revision;
    }
    this.#isUpToDate = true;
  }
}
