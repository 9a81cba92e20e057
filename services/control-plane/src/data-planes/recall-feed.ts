import type { Logger } from '@model-gateway/service-kit';
import type { AllowanceStore } from '../billing/allowance-store.ts';
import { SingleFlight } from '../database/single-flight.ts';
import type { KeyFeed } from './key-feed.ts';

/**
 * Sends open recalls to connected data planes, again in each run until the reply comes, because repeated
 * replies are harmless.
 */
export class RecallFeed {
  readonly #runs: SingleFlight;

  constructor(store: Pick<AllowanceStore, 'openRecallsOf'>, keyFeed: KeyFeed, log: Logger) {
    this.#runs = new SingleFlight(
      async () => {
        const { instanceIds } = keyFeed;
        if (instanceIds.length === 0) return;
        for (const { instanceId, ...recall } of await store.openRecallsOf(instanceIds)) {
          keyFeed.sendRecall(instanceId, recall);
        }
      },
      (error) => log.warn({ error }, 'cannot read recalls of allowances'),
    );
  }

  wake(): void {
    this.#runs.request();
  }

  async close(): Promise<void> {
    await this.#runs.settled();
  }
}
