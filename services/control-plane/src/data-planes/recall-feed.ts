import type { Logger } from '@model-gateway/service-kit';
import type { AllowanceStore } from '../billing/allowance-store.ts';
import { SingleFlight } from '../database/single-flight.ts';
import type { KeyFeed } from './key-feed.ts';

/**
 * Sends open recalls to connected data planes, again in each turn until the reply comes, because repeated
 * replies are harmless.
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

  wake(): void {
    this.#turns.request();
  }

  async close(): Promise<void> {
    await this.#turns.settled();
  }
}
