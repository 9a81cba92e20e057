import { expect, it } from 'vitest';
import { latency } from './job.ts';
import { LatencyRecorder } from './latency-recorder.ts';

it('recorded percentiles are right to three digits', () => {
  const recorder = new LatencyRecorder();
  for (let us = 1; us <= 10_000; us++) recorder.recordUs(us);
  const { count, mean, p50, p99, p999, max } = recorder.summary();
  expect(count).toBe(10_000);
  expect(mean).toBeCloseTo(5, 2);
  expect(p50).toBeCloseTo(5, 1);
  expect(p99).toBeCloseTo(9.9, 1);
  expect(p999).toBeCloseTo(9.99, 1);
  expect(max).toBeCloseTo(10, 1);
});

it('the percentiles of a recorder without recordings are NaN', () => {
  expect(latency.parse(new LatencyRecorder().summary())).toMatchObject({ count: 0, p50: Number.NaN });
});
