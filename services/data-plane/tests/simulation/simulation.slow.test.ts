import { runSeeds } from '@model-gateway/test-kit/simulation';
import { describe, expect, it } from 'vitest';

describe('planes in simulated time, over a simulated network', () => {
  it('keep books, bills, revocations and limits through partitions, crashes and clock steps', async () => {
    const { output, isPassed } = await runSeeds(1, 25);
    expect(isPassed, output).toBe(true);
  });

  it('do exactly the same when a seed is repeated, whatever ran before it', async () => {
    const [alone, later] = await Promise.all([runSeeds(33, 33), runSeeds(32, 33, { isTraced: true })]);
    const [trace = ''] = /^.* seed 33: [\s\S]*^.* end of seed 33$/m.exec(alone.output) ?? [];
    expect(trace).toContain('request');
    expect(later.output).toContain(trace);
  });
});
