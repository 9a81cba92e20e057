import type { Logger } from '@model-gateway/service-kit';
import { SingleFlight } from '../database/single-flight.ts';
import type { DrainStore } from '../fleet/drain-store.ts';
import type { KeyFeed } from './key-feed.ts';

/** Tells connected data planes to leave traffic, or to come back. Their next reports find lost orders. */
export class DrainFeed {
  readonly #runs: SingleFlight;

  constructor(store: Pick<DrainStore, 'openOrders'>, keyFeed: KeyFeed, log: Logger) {
    this.#runs = new SingleFlight(
      async () => {
        const { instanceIds } = keyFeed;
        if (instanceIds.length === 0) return;
        for (const { id, drained } of await store.openOrders(instanceIds)) {
          keyFeed.sendDrainOrder(id, drained);
        }
      },
      (error) => log.warn({ error }, 'cannot read which data planes are drained'),
    );
  }

  wake(): void {
    this.#runs.request();
  }

  async close(): Promise<void> {
    await this.#runs.settled();
  }
}
