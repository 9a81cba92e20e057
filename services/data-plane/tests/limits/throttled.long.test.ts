import { describe, expect, inject, it } from 'vitest';
import { burstThrottled } from './throttled-burst.ts';

describe.skipIf(!inject('ownRedis'))('services on nearly no CPU', () => {
  it.each([
    ['a fifth of a CPU each, by being stopped and continued', 0.2, 'signals'],
    ['a tenth of a CPU each', 0.1, undefined],
    ['a twentieth of a CPU each', 0.05, undefined],
  ] as const)('a burst of 1,000 on one key is limited exactly with %s', async (name, share, how) => {
    const figures = await burstThrottled({ requests: 1_000, share, how });
    console.log(`Burst of 1,000 with ${name}: ${JSON.stringify(figures)}`);
    expect(figures.free).toEqual({ 200: 60, 429: 940 });
    expect(figures.paid).toEqual({ 200: 100, 429: 900 });
    // In proportion.
    expect(figures.slowestMs).toBeLessThan(2_000 / share + figures.lagMs);
  });
});
