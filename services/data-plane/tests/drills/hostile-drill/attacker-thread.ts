import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { ATTACKS, type Attack, type Target } from './attacks.ts';

/**
 * Worker thread: runs all attacks at once until it is terminated. Each message is answered with the outcomes
 * so far.
 */

const target: Target = workerData;
const answers: Record<string, Record<string, number>> = {};

async function attackForEver(name: string, attack: Attack): Promise<never> {
  const counts: Record<string, number> = {};
  answers[name] = counts;
  for (;;) {
    const answer = await attack(target).catch((error: unknown) => `failed: ${causeOf(error)}`);
    counts[answer] = (counts[answer] ?? 0) + 1;
    // An attack that is refused at once must not make this thread the bottleneck.
    await wait(5);
  }
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
}

for (const [name, { lanes, attack }] of Object.entries(ATTACKS)) {
  for (let lane = 0; lane < lanes; lane++) void attackForEver(name, attack);
}
parentPort?.on('message', () => parentPort?.postMessage(answers));
