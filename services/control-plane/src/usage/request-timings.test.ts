import { expect, it } from 'vitest';
import { requestTimings } from './request-timings.ts';

it('a request takes as long as its attempts together, and its first token waits for the failed ones', () => {
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

it('what was no stream, or is from before first tokens were kept, has none', () => {
  expect(requestTimings([{ durationMs: 800, timeToFirstTokenMs: null }]).timeToFirstTokenMs).toBeUndefined();
  expect(requestTimings([{ durationMs: 800 }])).toEqual({ latencyMs: 800, timeToFirstTokenMs: undefined });
  expect(requestTimings([])).toEqual({ latencyMs: 0, timeToFirstTokenMs: undefined });
});
