import { PatientTimer } from './patience.ts';

export interface SlotQueueOptions {
  /** How many pieces of work run at one time. */
  places: number;
  /** How many pieces of work may wait for a place. */
  maxWaiting: number;
  /** How long each waits at most, by the clock of listeningMs. */
  maxWaitMs: number;
}

/**
 * Queues work for a short time, up to a limit: a burst waits a moment, and only lasting overload is refused.
 */
export class SlotQueue {
  readonly #options: SlotQueueOptions;
  readonly #waiting: { start: (hasPlace: boolean) => void }[] = [];
  #running = 0;

  constructor(options: SlotQueueOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** @returns true when there is a place, which `leave` frees again; false when none became free in time */
  enter(): Promise<boolean> {
    const { places, maxWaiting, maxWaitMs } = this.#options;
    if (this.#running < places && this.#waiting.length === 0) {
      this.#running += 1;
      return Promise.resolve(true);
    }
    if (this.#waiting.length >= maxWaiting) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiting = {
        start: (hasPlace: boolean) => {
          patience.clear();
          resolve(hasPlace);
        },
      };
      const patience = new PatientTimer(maxWaitMs, () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        resolve(false);
      });
      this.#waiting.push(waiting);
    });
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next.start(true);
  }
}
