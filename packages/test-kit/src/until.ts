import { setTimeout as wait } from 'node:timers/promises';

const OFTEN_MS = 10;
/** Of the time that was waited so far: it gets no longer by much. */
const SHARE = 0.05;
const SELDOM_MS = 50;

/**
 * Waits for something that no event announces (another process' state, a metric). What has to be asked for is asked for
 * less often the longer it takes: a request every 10 ms would take the processor from what is waited for.
 * @throws when it does not come true within `timeoutMs`
 */
export async function until(isTrue: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const startedAtMs = performance.now();
  for (;;) {
    const answer = isTrue();
    if (await answer) return;
    const waitedMs = performance.now() - startedAtMs;
    if (waitedMs > timeoutMs)
      throw new Error(`did not come true within ${timeoutMs} ms: ${isTrue.toString()}`);
    const isAsked = typeof answer !== 'boolean';
    await wait(isAsked ? Math.min(SELDOM_MS, Math.max(OFTEN_MS, waitedMs * SHARE)) : OFTEN_MS);
  }
}
