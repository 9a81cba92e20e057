import type { Logger } from '@model-gateway/service-kit';

/** Keeps new requests away from this process: at its end, or while an operator wants it. */
export class Drain {
  #isStopping = false;
  #isOrdered = false;
  readonly #log: Pick<Logger, 'info'>;

  constructor(log: Pick<Logger, 'info'>) {
    this.#log = log;
  }

  /** True: readiness fails, and responses close their connections. */
  get started(): boolean {
    return this.#isStopping || this.#isOrdered;
  }

  /** True while an operator keeps it out of traffic. */
  get isOrdered(): boolean {
    return this.#isOrdered;
  }

  /** Ends with the process. */
  stop(): void {
    this.#isStopping = true;
  }

  order(drained: boolean): void {
    const message = drained ? 'drained by an operator' : 'taken back into traffic by an operator';
    if (this.#isOrdered !== drained) this.#log.info({ drained }, message);
    this.#isOrdered = drained;
  }
}
