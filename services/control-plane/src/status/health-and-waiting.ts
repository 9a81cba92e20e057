import type { HealthToSend } from './health-message.ts';
import type { HealthReader } from './health-reader.ts';
import { waitingMessages } from './waiting-message.ts';
import type { WaitingStore } from './waiting-store.ts';

/** How models and providers did, and which calls wait for them at this moment. */
export type HealthAndWaiting = HealthToSend & { waitingCalls: ReturnType<typeof waitingMessages> };

/** Reads both at the same time. */
export class HealthAndWaitingReader {
  readonly #health: Pick<HealthReader, 'read'>;
  readonly #waiting: Pick<WaitingStore, 'read'>;

  constructor(health: Pick<HealthReader, 'read'>, waiting: Pick<WaitingStore, 'read'>) {
    this.#health = health;
    this.#waiting = waiting;
  }

  /** @throws when the database cannot be reached */
  async read(): Promise<HealthAndWaiting> {
    const [health, waiting] = await Promise.all([this.#health.read(), this.#waiting.read()]);
    return { ...health, waitingCalls: waitingMessages(waiting) };
  }
}
