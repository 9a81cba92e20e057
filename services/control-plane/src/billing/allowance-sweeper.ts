import { inBackground, type Logger } from '@model-gateway/service-kit';
import type { AllowanceStore } from './allowance-store.ts';

const INTERVAL_MS = 1_000;
/**
 * Data planes could not renew leases while the database or this process was away, so they get this time to do
 * so before any counts as gone. It exceeds the life of an allowance in a data plane (ALLOWANCE_LIFE_MS).
 */
const AFTER_OUTAGE_MS = 10_000;

/**
 * Each second, frees allowances of lost data planes, resets due pools, ends expired ones, and recalls money
 * beyond budgets.
 */
export class AllowanceSweeper {
  readonly #store: AllowanceStore;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #notBeforeMs = 0;
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(store: AllowanceStore, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  start(): void {
    this.forget();
    this.#schedule();
  }

  /** Counts no data plane as gone for a while: in a restored database even live ones have old leases. */
  forget(): void {
    this.#notBeforeMs = performance.now() + AFTER_OUTAGE_MS;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(): void {
    if (this.#closed) return;
    const dueMs = performance.now() + INTERVAL_MS;
    this.#timer = setTimeout(() => {
      // This process was stalled, so unread pings may be waiting.
      if (performance.now() - dueMs > INTERVAL_MS) this.forget();
      this.#running = this.#sweep().finally(() => this.#schedule());
      inBackground(this.#running);
    }, INTERVAL_MS);
  }

  async #sweep(): Promise<void> {
    try {
      await this.#store.resetDuePools();
      await this.#store.recallOverBudget();
      let expired = await this.#store.expired();
      while (expired.length > 0 && performance.now() >= this.#notBeforeMs && !this.#closed) {
        for (const id of expired) await this.#store.closeExpired(id);
        this.#log.warn({ allowances: expired.length }, 'freed abandoned allowances');
        expired = await this.#store.expired();
      }
    } catch (error) {
      this.forget();
      this.#log.warn({ error }, 'cannot sweep allowances');
    }
  }
}
