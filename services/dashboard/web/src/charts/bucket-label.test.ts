import { expect, test } from 'vitest';
import { bucketLabel } from './bucket-label.ts';

const at = Date.UTC(2026, 10, 21, 0, 5);

test('the label of a day is its UTC date in every time zone', () => {
  expect(bucketLabel(at, 'day', false, 'America/New_York')).toBe('Nov 21');
  expect(bucketLabel(at, 'day', true, 'America/New_York')).toBe('Sat, Nov 21, 2026');
});

test('the labels of hours and minutes are in the time zone of the reader', () => {
  expect(bucketLabel(at, 'hour', false, 'America/New_York')).toBe('19:05');
  expect(bucketLabel(at, 'minute', true, 'Asia/Tokyo')).toBe('Nov 21, 09:05');
});
