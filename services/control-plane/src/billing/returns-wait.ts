import { setTimeout as wait } from 'node:timers/promises';
import { listeningMs } from '@model-gateway/service-kit';
import type { AllowanceStore, Recall } from './allowance-store.ts';

/** Notifications make the wait short. This regular look also works when one is lost. */
const POLL_MS = 100;

/** Waits until data planes have said how much of their allowances they do not use. */
export class ReturnsWait {
  readonly #store: Pick<AllowanceStore, 'unanswered'>;
  #news = Promise.withResolvers<void>();

  constructor(store: Pick<AllowanceStore, 'unanswered'>) {
    this.#store = store;
  }

  /** To be called when a data plane may have answered. */
  wake(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers<void>();
  }

  /** @returns whether all recalls were answered within the time */
  async answered(recalls: readonly Recall[], boundMs: number): Promise<boolean> {
    const deadlineMs = listeningMs() + boundMs;
    let open = recalls;
    for (;;) {
      const { promise: news } = this.#news;
      open = await this.#store.unanswered(open);
      const leftMs = deadlineMs - listeningMs();
      if (open.length === 0 || leftMs <= 0) return open.length === 0;
      await Promise.race([news, wait(Math.min(POLL_MS, leftMs), undefined, { ref: false })]);
    }
  }
}
