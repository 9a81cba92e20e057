import { describe, expect, it } from 'vitest';
import { Histogram, Registry } from './metrics.ts';
import { TallyHistogram } from './tally-histogram.ts';

const described = { name: 'duration_seconds', help: 'Time.', buckets: [0.005, 0.1, 1, 10] };

describe('a tally histogram', () => {
  it('shows exactly what a histogram of the library shows, at every reading', async () => {
    const routes = ['/v1/models', '', 'a"b\\c\n', 'ä'];
    const [tallied, plain] = [new Registry(), new Registry()];
    const tallies = new TallyHistogram({ ...described, registry: tallied, labelNames: ['route', 'outcome'] });
    const histogram = new Histogram({ ...described, registers: [plain], labelNames: ['route', 'outcome'] });
    expect(await tallied.metrics()).toBe(await plain.metrics());
    for (let step = 0; step < 500; step++) {
      const route = routes[(step * step) % 4] ?? '';
      const outcome = step % 3 === 0 ? 'ok' : 'failed';
      // Below, on, between and above the bounds, and 0.
      const value = [0, 0.004, 0.005, 0.1, 1 / 3, 1, 9.99, 10, 11, 1_000][step % 10] ?? 0;
      tallies.labels(route, outcome).observe(value);
      histogram.observe({ route, outcome }, value);
      if (step % 50 === 0) expect(await tallied.metrics()).toBe(await plain.metrics());
    }
    expect(await tallied.metrics()).toBe(await plain.metrics());
  });

  it('shows zeros from the start if it has no labels, as one of the library does', async () => {
    const [tallied, plain] = [new Registry(), new Registry()];
    const tallies = new TallyHistogram({ ...described, registry: tallied, labelNames: [] });
    const histogram = new Histogram({ ...described, registers: [plain] });
    expect(await tallied.metrics()).toBe(await plain.metrics());
    tallies.labels().observe(0.2);
    histogram.observe(0.2);
    expect(await tallied.metrics()).toBe(await plain.metrics());
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses to observe %d', (value) => {
    const tallies = new TallyHistogram({ ...described, registry: new Registry(), labelNames: [] });
    expect(() => tallies.labels().observe(value)).toThrow(RangeError);
  });
});
