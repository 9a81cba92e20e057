import type { Logger } from '@model-gateway/service-kit';
import type { KeyFeed } from '../data-planes/key-feed.ts';
import { SingleFlight } from '../database/single-flight.ts';
import type { CredentialStore } from './credential-store.ts';

/** Polls too, because a notification can be lost. */
const INTERVAL_MS = 2_000;

export interface CredentialsToSend {
  providers: { providerId: string; setIn: number; missingIn: number; unknownIn: number }[];
}

export type CredentialWatcher = (credentials: CredentialsToSend) => void;

/**
 * Asks connected data planes which credentials they have, and sends the combined replies to catalog services.
 * Sends nothing while no data plane runs, so that the last reply stays.
 */
export class CredentialFeed {
  readonly #store: Pick<CredentialStore, 'ofProviders' | 'unanswered'>;
  readonly #keyFeed: Pick<KeyFeed, 'instanceIds' | 'sendCredentialQuestion'>;
  readonly #watchers = new Set<CredentialWatcher>();
  readonly #runs: SingleFlight;
  #timer: NodeJS.Timeout | undefined;
  #failing = false;

  constructor(
    store: Pick<CredentialStore, 'ofProviders' | 'unanswered'>,
    keyFeed: Pick<KeyFeed, 'instanceIds' | 'sendCredentialQuestion'>,
    log: Logger,
  ) {
    this.#store = store;
    this.#keyFeed = keyFeed;
    this.#runs = new SingleFlight(
      () => this.#run(),
      (error) => {
        if (!this.#failing) log.warn({ error }, 'cannot read which credentials data planes have');
        this.#failing = true;
      },
    );
  }

  start(): void {
    this.#timer = setInterval(() => this.wake(), INTERVAL_MS);
  }

  wake(): void {
    this.#runs.request();
  }

  add(watcher: CredentialWatcher): () => void {
    this.#watchers.add(watcher);
    this.wake();
    return () => void this.#watchers.delete(watcher);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#watchers.clear();
    await this.#runs.settled();
  }

  async #run(): Promise<void> {
    const { instanceIds } = this.#keyFeed;
    if (instanceIds.length > 0) {
      for (const [instanceId, variables] of await this.#store.unanswered(instanceIds)) {
        this.#keyFeed.sendCredentialQuestion(instanceId, variables);
      }
    }
    if (this.#watchers.size > 0) await this.#sendCounts();
    this.#failing = false;
  }

  async #sendCounts(): Promise<void> {
    const rows = await this.#store.ofProviders();
    const providers = [...rows].map(([providerId, counts]) => ({ providerId, ...counts }));
    const isNobodyThere = providers.every((row) => row.setIn + row.missingIn + row.unknownIn === 0);
    if (providers.length > 0 && isNobodyThere) return;
    for (const send of this.#watchers) send({ providers });
  }
}
