import { createLogger } from '@model-gateway/service-kit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RollUps } from './roll-ups.ts';

const MINUTE_MS = 60_000;
/** No webhook is subscribed to settled requests. */
const QUIET = { isAwaited: async () => false, reportLate: async () => false };
const log = createLogger({ service: 'test', level: 'silent', destination: { write: () => undefined } });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('fewer settlements are summed up at once while the database is too slow, and more again later', async () => {
  let left = 200;
  let possible = 10;
  const sizes: number[] = [];
  const store = {
    ...QUIET,
    async rollUp(max: number) {
      sizes.push(max);
      if (max > possible) throw new Error('canceling statement due to statement timeout');
      const count = Math.min(max, left);
      left -= count;
      return count;
    },
    widen: async () => false,
  };
  const rollUps = new RollUps(store, log);
  rollUps.start();
  await vi.advanceTimersByTimeAsync(20 * MINUTE_MS);
  expect(left).toBe(0);
  left = 1_000;
  possible = 1_000;
  await vi.advanceTimersByTimeAsync(6 * MINUTE_MS);
  expect(left).toBe(0);
  expect(sizes.at(-1)).toBe(sizes[0]);
  await rollUps.close();
});

it('minutes are added to hours and days after the settlements, fewer while the database is too slow', async () => {
  const calls: string[] = [];
  let left = 25;
  let possible = 4;
  const store = {
    ...QUIET,
    async rollUp() {
      calls.push('settlements');
      return 0;
    },
    async widen(minutes: number) {
      if (minutes > possible) throw new Error('canceling statement due to statement timeout');
      if (left < minutes) return false;
      calls.push(`${minutes} minutes`);
      left -= minutes;
      return true;
    },
  };
  const rollUps = new RollUps(store, log);
  rollUps.start();
  await vi.advanceTimersByTimeAsync(3 * MINUTE_MS);
  expect(calls.slice(0, 4)).toEqual(['settlements', 'settlements', 'settlements', '2 minutes']);
  expect(left).toBeLessThan(2);
  possible = 10;
  for (let minute = 0; minute < 4; minute++) {
    left = 100;
    await vi.advanceTimersByTimeAsync(MINUTE_MS);
    expect(left).toBeLessThan(10);
  }
  expect(calls.findLast((call) => call !== 'settlements')).toBe('10 minutes');
  await rollUps.close();
});
