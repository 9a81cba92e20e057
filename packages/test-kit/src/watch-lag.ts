import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What a busy machine adds to times that a test measures: a figure of the same run to compare them with. */
export interface Lag extends Disposable {
  /** @param steps one after the other; each may be late by as much as this thread was at its worst */
  allowanceMs(steps?: number): number;
}

/** Watches how late this thread is, from now on. */
export function watchLag(): Lag {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  return {
    allowanceMs: (steps = 10) => (steps * delay.max) / 1e6,
    [Symbol.dispose]: () => void delay.disable(),
  };
}
