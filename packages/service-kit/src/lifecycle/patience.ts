/** Between two looks at the clock: a longer wait is this process' own delay, not that of whoever is asked. */
export const PATIENCE_SLICE_MS = 25;
const MAX_COUNTED_MS = PATIENCE_SLICE_MS + 10;

/** Of the time between two looks, what may be held against whoever is asked. */
export function countedMs(elapsedMs: number): number {
  return Math.min(elapsedMs, MAX_COUNTED_MS);
}

/**
 * Waits for an answer, by a clock that stands still while this process is too busy to listen: an answer that lies
 * unread in the socket must not count as none, or a burst of requests would look like an outage.
 * @param impatience what is thrown after `boundMs`
 */
export function withPatience<Value>(
  answer: Promise<Value>,
  boundMs: number,
  impatience: () => Error,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    let leftMs = boundMs;
    let lookedAtMs = performance.now();
    const look = () => {
      const now = performance.now();
      leftMs -= countedMs(now - lookedAtMs);
      lookedAtMs = now;
      if (leftMs > 0) timer = setTimeout(look, Math.min(PATIENCE_SLICE_MS, leftMs));
      // Timers come before sockets: what has arrived meanwhile is read first.
      else setImmediate(() => reject(impatience()));
    };
    let timer = setTimeout(look, Math.min(PATIENCE_SLICE_MS, boundMs));
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
