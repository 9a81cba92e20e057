import { describe, expect, inject, it } from 'vitest';
import { burstThrottled } from './throttled-burst.ts';

/** Slow services may answer late, but neither refuse a request wrongly nor exceed the limit. */
describe.skipIf(!inject('ownRedis'))('services on a fraction of a CPU', () => {
  it('a burst of 1,000 on one key is limited exactly with every service at a fifth of a CPU', async () => {
    const figures = await burstThrottled({ requests: 1_000, share: 0.2 });
    console.log(`Burst of 1,000 at a fifth of a CPU each: ${JSON.stringify(figures)}`);
    expect(figures.free).toEqual({ 200: 60, 429: 940 });
    expect(figures.paid).toEqual({ 200: 100, 429: 900 });
    // Takes 3 s on a quiet machine. The client gives up after 30 s.
    expect(figures.slowestMs).toBeLessThan(25_000 + figures.lagMs);
  });
});
