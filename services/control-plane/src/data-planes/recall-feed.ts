import type { Logger } from '@model-gateway/service-kit';
import type { AllowanceStore } from '../billing/allowance-store.ts';
import { SingleFlight } from '../database/single-flight.ts';
import type { KeyFeed } from './key-feed.ts';

/**
 * Tells the data planes that watch here which of their allowances are recalled. It repeats each question at
 * every turn until the answer comes: repeated answers do no harm, and so nothing has to remember what was
 * asked.
 */
export class RecallFeed {
  readonly #turns: SingleFlight;

  constructor(store: Pick<AllowanceStore, 'outstandingOf'>, keyFeed: KeyFeed, log: Logger) {
    this.#turns = new SingleFlight(
      async () => {
        const { instanceIds } = keyFeed;
        if (instanceIds.length === 0) return;
        for (const { instanceId, ...recall } of await store.outstandingOf(instanceIds)) {
          keyFeed.sendRecall(instanceId, recall);
        }
      },
      (error) => log.warn({ error }, 'cannot read recalls of allowances'),
    );
  }

  /** To be called when there may be new recalls. */
  wake(): void {
    this.#turns.request();
  }

  async close(): Promise<void> {
    await this.#turns.settled();
  }
}
