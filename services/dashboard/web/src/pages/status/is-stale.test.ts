import { expect, test } from 'vitest';
import { isStale } from './is-stale.ts';

const now = 1_000_000;

test('a status that was read more than 15 s ago is stale', () => {
  expect(isStale({ readAtMs: now - 14_000, newAtMs: undefined, nowMs: now })).toBe(false);
  expect(isStale({ readAtMs: now - 16_000, newAtMs: undefined, nowMs: now })).toBe(true);
});

test('a wrong clock does not make a status stale whose answers are new', () => {
  expect(isStale({ readAtMs: now - 600_000, newAtMs: now - 5_000, nowMs: now })).toBe(false);
});

test('answers that stop to be new are stale, whatever the clock says', () => {
  expect(isStale({ readAtMs: now + 600_000, newAtMs: now - 16_000, nowMs: now })).toBe(true);
});
