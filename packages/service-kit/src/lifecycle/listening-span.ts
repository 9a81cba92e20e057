import { listeningMs } from './listening-clock.ts';

const SAMPLES = 20;

/** Converts the last `spanMs` of `listeningMs` to the wall clock, for limits that Node measures by it. */
export class ListeningSpan {
  readonly #spanMs: number;
  /**
   * Each sample has one moment by both clocks; the oldest is first, and is old enough for the whole span once
   * there is one.
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
    // When this process has not listened for the whole span since the first sample, no limit that began after
    // it is over.
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
