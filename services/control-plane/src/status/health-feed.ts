import type { Logger } from '@model-gateway/service-kit';
import { SingleFlight } from '../database/single-flight.ts';
import type { HealthToSend } from './health-message.ts';
import type { HealthReader } from './health-reader.ts';
import type { WaitingCalls, WaitingStore } from './waiting-store.ts';

/** The status page promises figures at most five seconds old. */
const INTERVAL_MS = 2_000;

export type HealthWatcher = (health: HealthToSend & { waitingCalls: WaitingCalls[] }) => void;

/**
 * Sends figures to watchers at once and every two seconds; nothing while the database is unreachable. The
 * time in the figures shows their age.
 */
export class HealthFeed {
  readonly #health: Pick<HealthReader, 'read'>;
  readonly #waiting: Pick<WaitingStore, 'read'>;
  readonly #watchers = new Set<HealthWatcher>();
  readonly #refresh: SingleFlight;
  #timer: NodeJS.Timeout | undefined;
  #failing = false;

  constructor(health: Pick<HealthReader, 'read'>, waiting: Pick<WaitingStore, 'read'>, log: Logger) {
    this.#health = health;
    this.#waiting = waiting;
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
    const [health, waitingCalls] = await Promise.all([this.#health.read(), this.#waiting.read()]);
    this.#failing = false;
    for (const send of this.#watchers) send({ ...health, waitingCalls });
  }
}
