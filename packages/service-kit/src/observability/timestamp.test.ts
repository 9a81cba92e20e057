import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { createTimestamp } from './timestamp.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('the time of a log line is that of the library, also where a second ends or the clock is set back', () => {
  vi.useFakeTimers();
  const timestamp = createTimestamp();
  const startMs = Date.UTC(2026, 11, 31, 23, 59, 58);
  for (const passedMs of [0, 7, 42, 999, 1_000, 1_001, 1_999, 2_000, 2_000, 500, -1, 86_400_000]) {
    vi.setSystemTime(startMs + passedMs);
    expect(timestamp()).toBe(pino.stdTimeFunctions.isoTime());
  }
});
