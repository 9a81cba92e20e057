import { availableParallelism } from 'node:os';
import process from 'node:process';
import { runSeeds } from '@model-gateway/test-kit/simulation';
import { expect, it } from 'vitest';

const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 10_000);
/** A process for each of these, so that none lives long. */
const SEEDS_AT_ONCE = 250;

it('10,000 seeds of partitions, crashes and clock steps break no promise', {
  timeout: 6 * 3_600_000,
}, async () => {
  const firsts = Array.from(
    { length: Math.ceil(SEEDS / SEEDS_AT_ONCE) },
    (_, index) => 1 + index * SEEDS_AT_ONCE,
  );
  const remaining = firsts.values();
  const failures: string[] = [];
  const worker = async () => {
    for (const first of remaining) {
      const { output, isPassed } = await runSeeds(first, Math.min(SEEDS, first + SEEDS_AT_ONCE - 1));
      if (!isPassed) failures.push(output);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  expect(failures.join('\n')).toBe('');
});
