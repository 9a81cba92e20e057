import { expect, test } from 'vitest';
import { isStale } from './is-stale.ts';

const now = 1_000_000;

test('a status that was read more than 15 s ago is stale', () => {
  expect(isStale({ readAtMs: now - 14_000, newAtMs: undefined, nowMs: now })).toBe(false);
  expect(isStale({ readAtMs: now - 16_000, newAtMs: undefined, nowMs: now })).toBe(true);
});

test('a status is not stale while newer ones arrive, even if the clock is wrong', () => {
  expect(isStale({ readAtMs: now - 600_000, newAtMs: now - 5_000, nowMs: now })).toBe(false);
});

test('a status is stale when no newer one arrives, even if the clock is wrong', () => {
  expect(isStale({ readAtMs: now + 600_000, newAtMs: now - 16_000, nowMs: now })).toBe(true);
});
