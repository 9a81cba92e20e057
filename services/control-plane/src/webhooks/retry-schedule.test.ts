import { expect, it } from 'vitest';
import { parseRetryAfterMs, RETRY_WAITS_MS, retryWaitMs } from './retry-schedule.ts';

const HOUR = 3_600_000;

it('retries wait from 5 seconds to 24 hours, each up to a fifth longer, and then end', () => {
  const waits = (random: number) =>
    Array.from({ length: RETRY_WAITS_MS.length + 1 }, (_, tries) =>
      retryWaitMs(tries, undefined, () => random),
    );
  expect(waits(0)).toEqual([...RETRY_WAITS_MS, null]);
  expect(waits(1)[0]).toBe(6_000);
  expect(waits(1).at(-2)).toBe(24 * HOUR);
  expect(RETRY_WAITS_MS.at(0)).toBe(5_000);
  expect(RETRY_WAITS_MS.at(-1)).toBe(24 * HOUR);
});

it('a wait that the receiver asks for is kept, from 5 seconds to 24 hours', () => {
  const wait = (askedMs: number) => retryWaitMs(1, askedMs, () => 0);
  expect([0, 60_000, 90 * 24 * HOUR].map(wait)).toEqual([5_000, 60_000, 24 * HOUR]);
});

it('Retry-After is a number of seconds or a date', () => {
  const now = Date.parse('2026-11-26T12:00:00Z');
  expect(parseRetryAfterMs('120', now)).toBe(120_000);
  expect(parseRetryAfterMs('Thu, 26 Nov 2026 12:01:00 GMT', now)).toBe(60_000);
  expect(parseRetryAfterMs('Thu, 26 Nov 2026 11:00:00 GMT', now)).toBe(0);
  expect(parseRetryAfterMs('soon', now)).toBeUndefined();
  expect(parseRetryAfterMs(undefined, now)).toBeUndefined();
});
