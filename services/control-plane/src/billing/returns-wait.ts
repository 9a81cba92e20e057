import { setTimeout as wait } from 'node:timers/promises';
import { listeningMs } from '@model-gateway/service-kit';
import type { AllowanceStore, Recall } from './allowance-store.ts';

/** Polls too, because a notification can be lost. */
const POLL_MS = 100;

/** Waits until data planes have replied to recalls of their unused money. */
export class ReturnsWait {
  readonly #store: Pick<AllowanceStore, 'unanswered'>;
  #nextReply = Promise.withResolvers<void>();

  constructor(store: Pick<AllowanceStore, 'unanswered'>) {
    this.#store = store;
  }

  wake(): void {
    this.#nextReply.resolve();
    this.#nextReply = Promise.withResolvers<void>();
  }

  /** @returns true when all recalls were answered in time */
  async forReplies(recalls: readonly Recall[], timeoutMs: number): Promise<boolean> {
    const deadlineMs = listeningMs() + timeoutMs;
    let open = recalls;
    for (;;) {
      const { promise: nextReply } = this.#nextReply;
      open = await this.#store.unanswered(open);
      const leftMs = deadlineMs - listeningMs();
      if (open.length === 0 || leftMs <= 0) return open.length === 0;
      await Promise.race([nextReply, wait(Math.min(POLL_MS, leftMs), undefined, { ref: false })]);
    }
  }
}
