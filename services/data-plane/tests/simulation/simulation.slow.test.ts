import { runSeeds } from '@model-gateway/test-kit/simulation';
import { describe, expect, it } from 'vitest';

const SEEDS = 10;

describe('planes in simulated time, over a simulated network', () => {
  let traces = '';

  it('keep books, bills, revocations and limits through partitions, crashes and clock steps', async () => {
    // Also writes the traces for the next test: making another database takes as long as seven seeds.
    const { output, isPassed } = await runSeeds(1, SEEDS, { isTraced: true });
    expect(isPassed, output).toBe(true);
    traces = output;
  });

  it('do exactly the same when a seed is repeated, whatever ran before it', async () => {
    const { output } = await runSeeds(SEEDS, SEEDS);
    const [trace = ''] =
      new RegExp(`^.* seed ${SEEDS}: [\\s\\S]*^.* end of seed ${SEEDS}$`, 'm').exec(output) ?? [];
    expect(trace).toContain('request');
    expect(traces).toContain(trace);
  });
});
