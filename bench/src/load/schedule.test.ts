import { describe, expect, it } from 'vitest';
import { dueMs, rampStartMs, requestsIn } from './schedule.ts';

describe('the schedule of a fixed rate', () => {
  it('spaces requests evenly, and never sends two at once', () => {
    const times = Array.from({ length: 2_000 }, (_, index) => dueMs(index, 2_000));
    for (const [index, time] of times.entries()) {
      if (index > 0) expect(time - (times[index - 1] ?? 0)).toBeCloseTo(0.5);
    }
    expect(times.at(-1)).toBeLessThan(1_000);
  });

  it('has as many requests as the rate says', () => {
    expect(requestsIn(1_500, 1_000)).toBe(1_500);
    expect(requestsIn(250, 100)).toBe(25);
  });

  it('lets streams begin one after the other within the ramp', () => {
    expect([0, 1, 2, 3].map((place) => rampStartMs(place, 4, 1_000))).toEqual([0, 250, 500, 750]);
  });
});
