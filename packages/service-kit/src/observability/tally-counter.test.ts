import { describe, expect, it } from 'vitest';
import { Counter, Registry } from './metrics.ts';
import { TallyCounter } from './tally-counter.ts';

const described = { name: 'requests_total', help: 'Answers.' };

describe('a tally counter', () => {
  it('shows exactly what a counter of the library shows, at every reading', async () => {
    const labelValues = ['/v1/models', '200', '', 'a"b\\c\n', 'ä'];
    const [tallied, plain] = [new Registry(), new Registry()];
    const tallies = new TallyCounter({ ...described, registry: tallied, labelNames: ['route', 'status'] });
    const counter = new Counter({ ...described, registers: [plain], labelNames: ['route', 'status'] });
    expect(await tallied.metrics()).toBe(await plain.metrics());
    for (let step = 0; step < 500; step++) {
      const route = labelValues[(step * step) % 5] ?? '';
      const status = labelValues[(step * 7) % 3] ?? '';
      // The sum of thirds depends on their order. Every fifth amount is 0, which adds nothing but makes its
      // labels appear.
      const amount = (step % 5) / 3;
      tallies.labels(route, status).inc(amount);
      counter.inc({ route, status }, amount);
      if (step % 50 === 0) expect(await tallied.metrics()).toBe(await plain.metrics());
    }
    expect(await tallied.metrics()).toBe(await plain.metrics());
  });

  it('counts one by default', async () => {
    const registry = new Registry();
    const tallies = new TallyCounter({ ...described, registry, labelNames: ['result'] });
    tallies.labels('hit').inc();
    tallies.labels('hit').inc();
    expect(await registry.metrics()).toContain('requests_total{result="hit"} 2\n');
  });

  it.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('refuses to count %d', (amount) => {
    const tallies = new TallyCounter({ ...described, registry: new Registry(), labelNames: ['result'] });
    expect(() => tallies.labels('hit').inc(amount)).toThrow(RangeError);
  });
});
