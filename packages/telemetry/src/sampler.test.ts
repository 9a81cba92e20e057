import { expect, it } from 'vitest';
import { createSampler } from './sampler.ts';
import { newTraceId } from './trace-context.ts';

const shareOf = (sampler: ReturnType<typeof createSampler>, parent?: boolean) => {
  const decisions = Array.from({ length: 20_000 }, () => sampler(newTraceId(), parent));
  return decisions.filter(Boolean).length / decisions.length;
};

it('samples the share of the traces that was asked for, and the same ones everywhere', () => {
  const tenth = createSampler({ sampler: 'traceidratio', ratio: 0.1 });
  expect(shareOf(tenth)).toBeCloseTo(0.1, 1);
  expect(shareOf(createSampler({ sampler: 'traceidratio', ratio: 0 }))).toBe(0);
  expect(shareOf(createSampler({ sampler: 'traceidratio', ratio: 1 }))).toBe(1);
  const other = createSampler({ sampler: 'parentbased_traceidratio', ratio: 0.1 });
  const ids = Array.from({ length: 1_000 }, newTraceId);
  expect(ids.map((id) => other(id, undefined))).toEqual(ids.map((id) => tenth(id, undefined)));
});

it('follows the decision of the caller only if the sampler says so', () => {
  for (const decision of [true, false]) {
    const off = createSampler({ sampler: 'parentbased_always_off', ratio: 1 });
    expect(off(newTraceId(), decision)).toBe(decision);
    expect(createSampler({ sampler: 'parentbased_always_on', ratio: 1 })(newTraceId(), decision)).toBe(
      decision,
    );
    expect(createSampler({ sampler: 'always_on', ratio: 1 })(newTraceId(), decision)).toBe(true);
    expect(createSampler({ sampler: 'always_off', ratio: 1 })(newTraceId(), decision)).toBe(false);
    expect(createSampler({ sampler: 'traceidratio', ratio: 0 })(newTraceId(), decision)).toBe(false);
  }
  expect(createSampler({ sampler: 'parentbased_always_off', ratio: 1 })(newTraceId(), undefined)).toBe(false);
});
