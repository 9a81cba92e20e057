import { inBackground, type Logger } from '@model-gateway/service-kit';
import { BatchSize } from './batch-size.ts';
import type { RollUpStore } from './roll-up-store.ts';

/**
 * At this interval a busy key costs one sum a minute. Reads of usage add pending records, so figures stay
 * current.
 */
const INTERVAL_MS = 60_000;
/** Interval while webhooks wait for each settled request. */
const AWAITED_INTERVAL_MS = 3_000;
/** Settlements per statement, each of at most 500 records: about a second when each is of another key. */
const SETTLEMENTS_AT_ONCE = 50;
/** Minutes per change of hours and days. Reads of usage add the missing minutes. */
const MINUTES_AT_ONCE = 10;

type Store = Pick<RollUpStore, 'isAwaited' | 'reportLate' | 'rollUp' | 'widen'>;

export class RollUps {
  readonly #store: Store;
  readonly #log: Logger;
  readonly #settlements = new BatchSize(SETTLEMENTS_AT_ONCE);
  readonly #minutes = new BatchSize(MINUTES_AT_ONCE);
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #closed = false;
  #doneAtMs = performance.now();

  constructor(store: Store, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  start(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#rollUp().finally(() => this.start());
      inBackground(this.#running);
    }, AWAITED_INTERVAL_MS);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #rollUp(): Promise<void> {
    try {
      if (performance.now() - this.#doneAtMs < INTERVAL_MS && !(await this.#store.isAwaited())) return;
      this.#doneAtMs = performance.now();
      await this.#settlements.work(
        async (size) => (await this.#store.rollUp(size)) === size && !this.#closed,
      );
      while (!this.#closed && (await this.#store.reportLate()));
      await this.#minutes.work(
        async (minutes) => !this.#closed && (await this.#store.widen(minutes)) && !this.#closed,
      );
    } catch (error) {
      this.#log.warn({ error }, 'cannot sum up usage; it is tried again in a minute');
    }
  }
}
