import { expect, it } from 'vitest';
import { requestTimings } from './request-timings.ts';

it("a request's latency is the sum of its attempts', and its time to first token includes the failed ones", () => {
  expect(
    requestTimings([
      { durationMs: 300, timeToFirstTokenMs: null },
      { durationMs: 800, timeToFirstTokenMs: 120 },
    ]),
  ).toEqual({ latencyMs: 1_100, timeToFirstTokenMs: 420 });
  expect(requestTimings([{ durationMs: 800, timeToFirstTokenMs: 0 }])).toEqual({
    latencyMs: 800,
    timeToFirstTokenMs: 0,
  });
});

it('a request without a stream, or an old one, has no time to first token', () => {
  expect(requestTimings([{ durationMs: 800, timeToFirstTokenMs: null }]).timeToFirstTokenMs).toBeUndefined();
  expect(requestTimings([{ durationMs: 800 }])).toEqual({ latencyMs: 800, timeToFirstTokenMs: undefined });
  expect(requestTimings([])).toEqual({ latencyMs: 0, timeToFirstTokenMs: undefined });
});
