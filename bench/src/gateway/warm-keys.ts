import type { LoadGenerator } from '../load/load-generator.ts';
import type { Target } from '../targets/target.ts';

/** Fewer than the parallel look-ups that the gateway allows one address. */
const CONNECTIONS = 48;
const TRIES = 5;
const ENOUGH_MS = 180_000;

/**
 * Sends every key once, with a request that is refused after the look-up, so that measurements start with a
 * warm cache.
 * @throws if some keys are never accepted
 */
export async function warmKeys(load: LoadGenerator, target: Target, keys: number): Promise<void> {
  const { origin, headers, keysFile = '' } = target;
  let failures: Record<string, number> = {};
  for (let tries = 0; tries < TRIES; tries++) {
    ({ failures } = await load.closedLoop({
      traffic: {
        origin,
        path: '/v1/chat/completions',
        headers,
        keysFile,
        bodies: ['{}'],
        expectStatus: 400,
      },
      connections: CONNECTIONS,
      warmUpMs: 0,
      measureMs: ENOUGH_MS,
      requests: keys,
    }));
    // A machine that is still starting programs may miss the deadline of look-ups.
    if (Object.keys(failures).length === 0) return;
  }
  throw new Error(`the gateway does not accept its keys: ${JSON.stringify(failures)}`);
}
