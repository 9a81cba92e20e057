import { setTimeout as wait } from 'node:timers/promises';

const SOONEST_MS = 10;
const LATEST_MS = 100;

/**
 * Waits for something that no event announces (another process' state, a metric). The longer it takes, the less often
 * it is looked for, because looking costs what others wait for: it comes at most a tenth later than it could.
 * @throws when it does not come true within `timeoutMs`
 */
export async function until(isTrue: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const startedAtMs = performance.now();
  while (!(await isTrue())) {
    const waitedMs = performance.now() - startedAtMs;
    if (waitedMs > timeoutMs)
      throw new Error(`did not come true within ${timeoutMs} ms: ${isTrue.toString()}`);
    await wait(Math.min(LATEST_MS, Math.max(SOONEST_MS, waitedMs / 10)));
  }
}
