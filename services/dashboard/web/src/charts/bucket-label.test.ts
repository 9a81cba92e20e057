import { expect, test } from 'vitest';
import { bucketLabel } from './bucket-label.ts';

const at = Date.UTC(2026, 10, 21, 0, 5);

test('a day keeps its UTC name wherever the reader is', () => {
  expect(bucketLabel(at, 'day', false, 'America/New_York')).toBe('Nov 21');
  expect(bucketLabel(at, 'day', true, 'America/New_York')).toBe('Sat, Nov 21, 2026');
});

test('hours and minutes are told in the time zone of the reader', () => {
  expect(bucketLabel(at, 'hour', false, 'America/New_York')).toBe('19:05');
  expect(bucketLabel(at, 'minute', true, 'Asia/Tokyo')).toBe('Nov 21, 09:05');
});
