import type { Logger } from '@model-gateway/service-kit';
import { SingleFlight } from '../database/single-flight.ts';
import type { HealthAndWaiting, HealthAndWaitingReader } from './health-and-waiting.ts';

/** The status page promises figures at most five seconds old. */
const INTERVAL_MS = 2_000;

export type HealthWatcher = (health: HealthAndWaiting) => void;

/**
 * Sends figures to watchers at once and every two seconds; nothing while the database is unreachable. The
 * time in the figures shows their age.
 */
export class HealthFeed {
  readonly #reader: Pick<HealthAndWaitingReader, 'read'>;
  readonly #watchers = new Set<HealthWatcher>();
  readonly #refresh: SingleFlight;
  #timer: NodeJS.Timeout | undefined;
  #failing = false;

  constructor(reader: Pick<HealthAndWaitingReader, 'read'>, log: Logger) {
    this.#reader = reader;
    this.#refresh = new SingleFlight(
      () => this.#send(),
      (error) => {
        if (!this.#failing) log.warn({ error }, 'cannot read the outcomes of requests');
        this.#failing = true;
      },
    );
  }

  /** Nothing is read while nobody watches. */
  start(): void {
    this.#timer = setInterval(() => {
      if (this.#watchers.size > 0) this.#refresh.request();
    }, INTERVAL_MS);
  }

  add(watcher: HealthWatcher): () => void {
    this.#watchers.add(watcher);
    this.#refresh.request();
    return () => void this.#watchers.delete(watcher);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#watchers.clear();
    await this.#refresh.settled();
  }

  async #send(): Promise<void> {
    const health = await this.#reader.read();
    this.#failing = false;
    for (const send of this.#watchers) send(health);
  }
}
