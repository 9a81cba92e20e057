import type { HealthToSend } from './health-message.ts';
import type { HealthReader } from './health-reader.ts';
import { waitingMessages } from './waiting-message.ts';
import type { WaitingStore } from './waiting-store.ts';

export type HealthAndWaiting = HealthToSend & { waitingCalls: ReturnType<typeof waitingMessages> };

export class HealthAndWaitingReader {
  readonly #health: Pick<HealthReader, 'read'>;
  readonly #waiting: Pick<WaitingStore, 'read'>;

  constructor(health: Pick<HealthReader, 'read'>, waiting: Pick<WaitingStore, 'read'>) {
    this.#health = health;
    this.#waiting = waiting;
  }

  async read(): Promise<HealthAndWaiting> {
    const [health, waiting] = await Promise.all([this.#health.read(), this.#waiting.read()]);
    return { ...health, waitingCalls: waitingMessages(waiting) };
  }
}
