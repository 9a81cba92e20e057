import { monitorEventLoopDelay } from 'node:perf_hooks';
import { until } from './until.ts';

/**
 * Measures the delay that a busy machine adds to times which a test measures in the same run, so that the
 * test can allow for it.
 */
export interface Lag extends Disposable {
  /**
   * @param steps the number of steps in a row, each of which may be late by as much as this thread was at its
   *   worst moment
   */
  allowanceMs(steps?: number): number;
}

/** Starts to watch how late this thread is. */
export function watchLag(): Lag {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  return {
    allowanceMs: (steps = 10) => (steps * delay.max) / 1e6,
    [Symbol.dispose]: () => void delay.disable(),
  };
}

/**
 * Waits for something that a quiet machine does within `promisedMs`.
 * @throws when it takes longer than `promisedMs` plus the measured delay of this machine
 */
export async function untilWithin(
  promisedMs: number,
  isTrue: () => boolean | Promise<boolean>,
): Promise<void> {
  using lag = watchLag();
  const startedAtMs = performance.now();
  await until(isTrue);
  const tookMs = Math.round(performance.now() - startedAtMs);
  if (tookMs > promisedMs + lag.allowanceMs())
    throw new Error(`came true after ${tookMs} ms instead of ${promisedMs}: ${isTrue.toString()}`);
}
