import { createLogger } from '@model-gateway/service-kit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RollUps } from './roll-ups.ts';

const MINUTE_MS = 60_000;
const log = createLogger({ service: 'test', level: 'silent', destination: { write: () => undefined } });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('ever fewer settlements are summed up at once while a database is too slow for more, and more again after it', async () => {
  let left = 200;
  let possible = 10;
  const asked: number[] = [];
  const store = {
    async rollUp(most: number) {
      asked.push(most);
      if (most > possible) throw new Error('canceling statement due to statement timeout');
      const count = Math.min(most, left);
      left -= count;
      return count;
    },
  };
  const rollUps = new RollUps(store, log);
  rollUps.start();
  await vi.advanceTimersByTimeAsync(20 * MINUTE_MS);
  expect(left).toBe(0);
  left = 1_000;
  possible = 1_000;
  await vi.advanceTimersByTimeAsync(6 * MINUTE_MS);
  expect(left).toBe(0);
  expect(asked.at(-1)).toBe(asked[0]);
  await rollUps.close();
});
