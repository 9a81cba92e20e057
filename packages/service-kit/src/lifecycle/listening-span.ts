import { listeningMs } from './listening-clock.ts';

const SAMPLES = 20;

/** For bounds that others keep by the wall clock: how long the last `spanMs` of listening have taken. */
export class ListeningSpan {
  readonly #spanMs: number;
  /** Of one moment by both clocks, oldest first; one that is old enough for the span comes first. */
  readonly #samples = [{ wallMs: performance.now(), listeningMs: listeningMs() }];
  readonly #timer: NodeJS.Timeout;

  constructor(spanMs: number) {
    this.#spanMs = spanMs;
    this.#timer = setInterval(() => this.#sample(), Math.ceil(spanMs / SAMPLES)).unref();
  }

  /** At least `spanMs`; longer by what this process was held up for. */
  get wallMs(): number {
    const heardMs = listeningMs() - this.#spanMs;
    while ((this.#samples[1]?.listeningMs ?? Number.POSITIVE_INFINITY) <= heardMs) this.#samples.shift();
    const [first] = this.#samples;
    if (first === undefined) return this.#spanMs;
    const sinceMs = performance.now() - first.wallMs;
    // Not listened for the span at all since the first sample: nothing that began after it is over.
    return first.listeningMs <= heardMs ? sinceMs : sinceMs + this.#spanMs;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    this.#samples.push({ wallMs: performance.now(), listeningMs: listeningMs() });
    // Drops what is too old.
    void this.wallMs;
  }
}
