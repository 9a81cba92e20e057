import type { Logger } from '@model-gateway/service-kit';
import type { RollUpStore } from './roll-up-store.ts';

/**
 * Summed up a minute at a time, a key that is in use costs three sums a minute, however often it is used.
 * Whoever reads usage adds what is pending, so that waiting makes nobody's figures old.
 */
const INTERVAL_MS = 60_000;
/**
 * One statement sums up this many settlements, of at most 500 records each. Where each record is of another key,
 * that takes about a second; after a failure, such as the time limit of statements, ever fewer are tried.
 */
const MOST_AT_ONCE = 50;

/** Every minute, adds settled records to the sums of usage. */
export class RollUps {
  readonly #store: Pick<RollUpStore, 'rollUp'>;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #closed = false;
  #most = MOST_AT_ONCE;

  constructor(store: Pick<RollUpStore, 'rollUp'>, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  start(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#rollUp().finally(() => this.start());
    }, INTERVAL_MS);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #rollUp(): Promise<void> {
    try {
      while (!this.#closed && (await this.#store.rollUp(this.#most)) === this.#most);
      // Only when nothing is left: what was too slow a moment ago is not tried while others wait behind it.
      this.#most = Math.min(MOST_AT_ONCE, 2 * this.#most);
    } catch (error) {
      this.#most = Math.max(1, Math.floor(this.#most / 2));
      this.#log.warn({ error }, 'cannot sum up usage; it is tried again in a minute');
    }
  }
}
