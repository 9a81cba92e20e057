import { setTimeout as wait } from 'node:timers/promises';

/**
 * Waits for something that no event announces (another process' state, a metric).
 * @throws when it does not come true within `timeoutMs`
 */
export async function until(isTrue: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline)
      throw new Error(`did not come true within ${timeoutMs} ms: ${isTrue.toString()}`);
    await wait(10);
  }
}
