import type { Logger } from '@model-gateway/service-kit';
import type { KeyFeed } from '../data-planes/key-feed.ts';
import { SingleFlight } from '../database/single-flight.ts';
import type { FollowedResponseStore } from './followed-response-store.ts';

const INTERVAL_MS = 2_000;

/** Tells the connected data planes when they can claim responses that none of them follows. */
export class FollowedFeed {
  readonly #runs: SingleFlight;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    store: Pick<FollowedResponseStore, 'hasUnclaimed'>,
    keyFeed: Pick<KeyFeed, 'size' | 'sendResponsesUnfollowed'>,
    log: Logger,
  ) {
    this.#runs = new SingleFlight(
      async () => {
        if (keyFeed.size > 0 && (await store.hasUnclaimed())) keyFeed.sendResponsesUnfollowed();
      },
      (error) => log.warn({ error }, 'cannot read which responses nobody follows'),
    );
  }

  start(): void {
    this.#timer = setInterval(() => this.#runs.request(), INTERVAL_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#runs.settled();
  }
}
