import { listeningMs } from './listening-clock.ts';

const SAMPLES = 20;

/** Converts the last `spanMs` of `listeningMs` to wall-clock time, by which Node measures its timeouts. */
export class ListeningSpan {
  readonly #spanMs: number;
  /**
   * Readings of both clocks, oldest first. As soon as there is one from before the span, it is the first.
   */
  readonly #samples = [{ wallMs: performance.now(), listeningMs: listeningMs() }];
  readonly #timer: NodeJS.Timeout;

  constructor(spanMs: number) {
    this.#spanMs = spanMs;
    this.#timer = setInterval(() => this.#sample(), Math.ceil(spanMs / SAMPLES)).unref();
  }

  /** `spanMs` plus the time for which this process was blocked. */
  get wallMs(): number {
    const heardMs = listeningMs() - this.#spanMs;
    while ((this.#samples[1]?.listeningMs ?? Number.POSITIVE_INFINITY) <= heardMs) this.#samples.shift();
    const [first] = this.#samples;
    if (first === undefined) return this.#spanMs;
    const sinceMs = performance.now() - first.wallMs;
    // This process has not listened for a whole span since the first sample, so no timeout that began after
    // that sample may end.
    return first.listeningMs <= heardMs ? sinceMs : sinceMs + this.#spanMs;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    this.#samples.push({ wallMs: performance.now(), listeningMs: listeningMs() });
    // Reading the value drops old samples.
    void this.wallMs;
  }
}
