import { PatientTimer } from '@model-gateway/service-kit';
import type { Exchange } from './exchange.ts';

export interface SlowReaderOptions {
  stallMs: number;
  onDrain: () => void;
  /** Called when the client has read nothing for `stallMs`. */
  onStalled: () => void;
}

/** Waits for a slow client as long as it reads at all. Ends with the exchange. */
export class SlowReader {
  readonly #options: SlowReaderOptions;
  #isListening = false;
  #timer: PatientTimer | undefined;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange, options: SlowReaderOptions) {
    this.#exchange = exchange;
    this.#options = options;
  }

  /** Call this when a write returned false. */
  wait(): void {
    this.#timer ??= new PatientTimer(this.#options.stallMs, this.#options.onStalled);
    if (this.#isListening) return;
    this.#isListening = true;
    this.#exchange.res.on('drain', this.#onDrain);
    this.#exchange.ends.push(() => this.end());
  }

  end(): void {
    this.#stopTimer();
    this.#exchange.res.off('drain', this.#onDrain);
    this.#isListening = false;
  }

  #stopTimer(): void {
    this.#timer?.clear();
    this.#timer = undefined;
  }

  readonly #onDrain = () => {
    this.#stopTimer();
    this.#options.onDrain();
  };
}
