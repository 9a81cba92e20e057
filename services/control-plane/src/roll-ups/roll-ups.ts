import type { Logger } from '@model-gateway/service-kit';
import { Portion } from './portion.ts';
import type { RollUpStore } from './roll-up-store.ts';

/**
 * Summed up a minute at a time, a key that is in use costs one sum a minute, however often it is used.
 * Whoever reads usage adds what is pending, so that waiting makes nobody's figures old.
 */
const INTERVAL_MS = 60_000;
/**
 * One statement sums up this many settlements, of at most 500 records each. Where each record is of another key,
 * that takes about a second.
 */
const SETTLEMENTS_AT_ONCE = 50;
/** Hours and days are changed once for so many minutes. Whoever reads usage adds the minutes that they lack. */
const MINUTES_AT_ONCE = 10;

/** Every minute, adds settled records to the sums of their minute, and minutes to those of hours and days. */
export class RollUps {
  readonly #store: Pick<RollUpStore, 'rollUp' | 'widen'>;
  readonly #log: Logger;
  readonly #settlements = new Portion(SETTLEMENTS_AT_ONCE);
  readonly #minutes = new Portion(MINUTES_AT_ONCE);
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(store: Pick<RollUpStore, 'rollUp' | 'widen'>, log: Logger) {
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
      await this.#settlements.work(
        async (most) => (await this.#store.rollUp(most)) === most && !this.#closed,
      );
      await this.#minutes.work(
        async (minutes) => !this.#closed && (await this.#store.widen(minutes)) && !this.#closed,
      );
    } catch (error) {
      this.#log.warn({ error }, 'cannot sum up usage; it is tried again in a minute');
    }
  }
}
