import { setTimeout as wait } from 'node:timers/promises';

const SOONEST_MS = 10;
const LATEST_MS = 50;

/**
 * Waits for something that no event announces (the state of another process, a metric). It checks less and
 * less often, because each check takes CPU time from what it waits for. It notices a change at most 50 ms
 * late.
 * @throws when it does not become true within `timeoutMs`
 */
export async function until(isTrue: () => boolean | Promise<boolean>, timeoutMs = 120_000): Promise<void> {
  const startedAtMs = performance.now();
  while (!(await isTrue())) {
    const waitedMs = performance.now() - startedAtMs;
    if (waitedMs > timeoutMs)
      throw new Error(`did not come true within ${timeoutMs} ms: ${isTrue.toString()}`);
    await wait(Math.min(LATEST_MS, Math.max(SOONEST_MS, waitedMs / 10)));
  }
}
